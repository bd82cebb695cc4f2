import CustomDump

/// Reports a change of an enum's case while the enum has another case or is absent.
package func reportUnrelatedCase<Root, Member>(
  _: Member.Type,
  of root: Root?,
  at location: IssueLocation,
) {
  let found = root.map { "of another case, \"\(name(ofCase: $0))\"" } ?? "absent"
  location.report(
    """
    Can't modify the "\(Member.self)" in a case of "\(Root.self)": the value is \(found).

    The change was ignored. To fix, look at the case first, or assign a whole new value.
    """
  )
}

/// The name of an enum's case in Swift.
private func name<Root>(ofCase root: Root) -> String {
  Mirror(reflecting: root).children.first?.label ?? "\(root)"
}

/// Reports an element that was assigned to an id that is not on the stack.
func reportMissingElement(_ id: StackElementID, at location: IssueLocation) {
  location.report(
    """
    Can't assign an element to the id \(id): it is not on the stack.

    The element was ignored. Elements are assigned to ids that are not there only in the \
    assertions of tests.

    To fix, use "append", which gives it an id.
    """
  )
}

/// Reports a push of an element whose id is not the next one of the stack.
func reportUnexpectedElementID<Element, Action>(
  _ id: StackElementID,
  on stack: StackState<Element>,
  action: Action,
  at location: IssueLocation,
) {
  if EffectRegistry.noteAbsence() { return }
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  let reason =
    if stack.rows.contains(id: id) {
      "is on the stack already"
    } else if id.generation < stack.nextID.generation {
      "an element had that has gone"
    } else {
      "is not the next one"
    }
  location.report(
    """
    A "forEach" at "\(location.fileID):\(location.line)" received a "push" action with the id \
    \(id), which \(reason). The next element of the stack has the id \(stack.nextID). …

      Action:
    \(dump)

    The element was not pushed. This can come about in one of these ways:

    • The same action was sent twice. To fix, send it once.

    • Two clients pushed at the same time. To fix, let the second one push again, with the id \
    that the stack has for its next element now.

    • The id was made up. To fix, take "nextID" of the stack, or "append" in a reducer.
    """
  )
}
