# The rules of rules.jq for conftest (https://www.conftest.dev):
#
#     websites plan --out plan.json && conftest test plan.json --policy policies
package main

# Internal websites are private (privacy 1).
deny contains message if {
  some change in input.changes
  endswith(change.domain, ".internal")
  change.action == "create"
  object.get(change.fields, ["privacy", "after"], 0) != 1
  message := sprintf("%s: an internal website must be private", [change.domain])
}

deny contains message if {
  some change in input.changes
  endswith(change.domain, ".internal")
  change.action == "update"
  object.get(change.fields.privacy, "after", 0) != 1
  message := sprintf("%s: an internal website must be private", [change.domain])
}

# A delete loses the data of a website: more than two need a person.
deny contains message if {
  input.summary.delete > 2
  message := sprintf("%d deletes: more than two need an approval", [input.summary.delete])
}

# Each group is a client, and declares websites of its own domain only.
owners := {"acme": "acme.com", "globex": "globex.com"}

deny contains message if {
  some change in input.changes
  change.action != "delete"
  change.group
  not is_owned(change)
  message := sprintf("%s: not a domain of the group %s", [change.domain, change.group])
}

is_owned(change) if {
  endswith(concat("", [".", change.domain]), concat("", [".", owners[change.group]]))
}
