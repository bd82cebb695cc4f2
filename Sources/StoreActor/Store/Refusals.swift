import IssueReporting

/// Refusals of actions whose senders are not notified.
package struct UnansweredRefusals {
  /// The number of refused actions.
  package private(set) var count = 0
  /// The last refusal; nil if there is none.
  package private(set) var last: Refusal?

  mutating func note(_ refusal: Refusal) {
    count += 1
    last = refusal
  }
}

extension RootCore {
  /// Takes the refusals of actions that no remote client has sent: of effects, of sessions, and of
  /// the process itself.
  package func takeRefusals() -> UnansweredRefusals? {
    guard unansweredRefusals.count > 0 else { return nil }
    defer { unansweredRefusals = UnansweredRefusals() }
    return unansweredRefusals
  }
}

extension ActionFailure {
  /// The failure of a refused action.
  package init(_ refusal: Refusal) {
    self.init(code: .refused, message: refusal.reason, remedy: "", refusal: refusal)
  }

  /// The failure of an action that was queued in a batch that was abandoned.
  static var abandoned: Self {
    Self(
      code: .absent,
      message: "The action was sent while another one was being reduced, whose target is absent.",
      remedy: "It was not applied. Send it after the other action.",
    )
  }
}

/// Reports a refusal that has no effect, because its action cannot be refused any more.
func reportLateRefusal(_ refusal: Refusal) {
  reportIssue(
    """
    An action was refused too late: "\(refusal.reason)". Its changes were taken back, but the \
    revision to which it belongs was not refused.

    Only the action that begins a revision, and actions that follow from it by "Effect.send", can \
    be refused. An action of "onRestored", and one that is sent because other work was cancelled, \
    cannot.

    To fix, return ".none" for such an action.
    """
  )
}
