/** The file that `websites init` writes: valid as it stands, and every key explained. */
export const STARTER = `# The websites of a service. "websites plan" shows what would change,
# "websites apply" changes it. Without an installation: "npx websites-as-code plan".
version: 1

service:
  # "local" is the embedded service: no account, records in .websites/local.db.
  # For a real one: base_url: https://analytics.example.com, and the key in WEBSITES_API_KEY.
  base_url: local
  # www: same            # or distinct: is www.example.com the same website as example.com?

# Records that this file does not list are left alone and counted. To delete them:
# prune: removed        # those that this file once declared, by Git; or true: all of them
# Of a shared account, the only domains that this file is about:
# scope: [example.com, "*.example.com"]

# Settings of every website that does not say otherwise. What neither declares is not managed.
defaults:
  privacy: private       # public, private or password
  exclude_bots: true

# Domains that are never touched, and domains that are never deleted.
ignore: []
protected: []

websites:
  - example.com          # a plain domain is a website with the defaults
  # - domain: shop.example.com
  #   privacy: password
  #   password: { env: SHOP_PASSWORD }       # or { file: ./secret }
  #   email: true
  #   exclude_params: [utm_source, utm_medium]
  #   exclude_ips: [192.0.2.0/24, "2001:db8::1"]
  #   favorited_at: 2026-01-31T09:00:00      # or favorite: true
  # - domain: old.example.com
  #   state: absent                          # delete this one
`;
