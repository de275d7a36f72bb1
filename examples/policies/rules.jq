# Rules for a saved plan: jq -re -f rules.jq plan.json
# Prints each violation, then true or false. With -e, jq exits with 1 after false.

# Internal websites are private (privacy 1).
def internal_private:
  .changes[]
  | select(.domain | endswith(".internal"))
  | select(.action == "create" or (.action == "update" and .fields.privacy != null))
  | select(.fields.privacy.after != 1)
  | "\(.domain): an internal website must be private";

# A delete loses the data of a website: more than two need a person.
def few_deletes:
  select(.summary.delete > 2)
  | "\(.summary.delete) deletes: more than two need an approval";

# Each group is a client, and declares websites of its own domain only.
def group_owners:
  { acme: "acme.com", globex: "globex.com" } as $owners
  | .changes[]
  | select(.group != null and .action != "delete")
  | $owners[.group] as $owned
  | select($owned == null or (".\(.domain)" | endswith(".\($owned)") | not))
  | "\(.domain): not a domain of the group \(.group)";

[internal_private, few_deletes, group_owners] | .[], length == 0
