package import StoreActor
package import StoreProtocol

extension ActionFailure {
  /// Creates the failure of an outcome, with its remedy.
  package init(_ failure: Outcome.Failure) {
    let code: Code
    let remedy: String
    switch failure.code {
    case Outcome.refused:
      self.init(
        Refusal(
          reason: failure.message,
          code: failure.details?.code,
          encodedValue: failure.details?.value,
        )
      )
      return
    case Outcome.expired:
      (code, remedy) = (.expired, "It was not applied. Send it again if it is still wanted.")
    // The message of the refusal states when to try again.
    case Outcome.overloaded: (code, remedy) = (.overloaded, "It was not applied.")
    case Outcome.absent: (code, remedy) = (.absent, "It was not applied.")
    case Outcome.conflict:
      (code, remedy) = (.conflict, "It was not applied. Look at the value that there is now.")
    case Outcome.crashed:
      (code, remedy) = (.crashed, "It is not reduced again. Find the fault with the daemon's log.")
    case Outcome.notSent: (code, remedy) = (.notSent, "It was not applied. Connect again.")
    case Outcome.outcomeUnknown, Outcome.forgotten:
      (code, remedy) = (.outcomeUnknown, "Look at the state to see whether it was applied.")
    case Outcome.appliedNotShown:
      (code, remedy) = (.appliedNotShown, "Look at the state to see its effect.")
    case "unauthorised":
      (code, remedy) = (.unauthorized, "It was not applied. Ask for the right to send it.")
    default: (code, remedy) = (.rejected, "Correct the action; it was not applied.")
    }
    self.init(
      code: code,
      message: failure.message,
      remedy: remedy,
      revision: failure.revision,
    )
  }
}
