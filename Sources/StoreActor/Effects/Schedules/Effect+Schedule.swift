/// The treatment of due times that have passed while a schedule could not fire, because the daemon
/// was not running or the machine slept.
public enum MissedFirings: String, Hashable, Sendable, CaseIterable {
  /// It fires once for all of them.
  case once
  /// It does not fire for those that passed more than 30 seconds ago.
  case skip
  /// It fires once for each of them, for at most the newest 1,000.
  case each
}

extension Effect {
  /// Sends an action at a date.
  ///
  /// ```swift
  /// case .remindButtonTapped:
  ///   state.dueAt = date.now + 3600
  ///   return .schedule(id: "reminder", at: date.now + 3600, .reminderDue)
  /// case .dismissButtonTapped:
  ///   return .cancel(id: "reminder")
  /// ```
  ///
  /// A daemon with a journal keeps the schedule, which keeps its due time when the daemon is
  /// started again. For this, the actions of the root and of all features that lead to this one
  /// must be `DurableAction`s; otherwise the schedule ends with the daemon, and an issue is
  /// reported when it is returned.
  ///
  /// A schedule belongs to the feature that returns it. It ends when it has fired, when
  /// ``Effect/cancel(id:)`` with its id cancels it, or when the feature's child is removed. It does
  /// not end with the sender of the action: the task of the action does not wait for it and does
  /// not cancel it, and a `.concatenate` continues at once. Its action has the origin of the action
  /// that has led to it, also after a restart.
  ///
  /// An enclosing `.cancellable` does not survive a restart of the daemon; the id does.
  ///
  /// The action is reduced in a revision of its own. If the daemon ends before this revision is
  /// kept, no client has seen it, and the schedule fires again.
  ///
  /// Due times are times of the `date` dependency, and the `continuousClock` dependency waits. A
  /// change of the machine's clock is noticed within 30 seconds. While `date` stands still, as in
  /// many tests, the clock alone decides.
  ///
  /// - Parameters:
  ///   - id: The id, of at most 128 bytes. An earlier schedule of the feature with this id ends. A
  ///     `Scope` shares the ids of its parent.
  ///   - date: The date. A date in the past is due at once.
  ///   - missed: ``MissedFirings/skip`` drops the schedule if it could not fire within 30 seconds
  ///     after its date; the others let it fire as soon as it can.
  ///   - action: The action.
  ///   - fileID: The file that a message about a mistake mentions.
  ///   - filePath: The path of that file.
  ///   - line: The line that the message mentions.
  ///   - column: The column that the message mentions.
  /// - Returns: The effect.
  public static func schedule(
    id: String,
    at date: Date,
    missed: MissedFirings = .once,
    _ action: Action,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return schedule(id, .at(date.timeIntervalSinceReferenceDate), missed, action, at: location)
  }

  /// Sends an action again and again, first after one interval.
  ///
  /// ```swift
  /// .onStart { state, start in
  ///   start.hasSchedule("report")
  ///     ? .none : .schedule(id: "report", every: .seconds(3600), .reportDue)
  /// }
  /// ```
  ///
  /// See ``schedule(id:at:missed:_:fileID:filePath:line:column:)`` for its durability. If the
  /// machine's clock is set back, the next firing is due after at most one interval.
  ///
  /// - Parameters:
  ///   - id: The id, as above.
  ///   - interval: The time between two firings, at least a second.
  ///   - missed: The treatment of due times that have passed while it could not fire.
  ///   - action: The action.
  ///   - fileID: The file that a message about a mistake mentions.
  ///   - filePath: The path of that file.
  ///   - line: The line that the message mentions.
  ///   - column: The column that the message mentions.
  /// - Returns: The effect.
  public static func schedule(
    id: String,
    every interval: Duration,
    missed: MissedFirings = .once,
    _ action: Action,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return schedule(id, .every(interval / .seconds(1)), missed, action, at: location)
  }

  private static func schedule(
    _ id: String,
    _ timing: EffectSchedule<Action>.Timing,
    _ missed: MissedFirings,
    _ action: Action,
    at location: IssueLocation,
  ) -> Self {
    if let mistake = mistake(id, timing) {
      location.report(mistake)
      return .none
    }
    return Self(
      .schedule(
        EffectSchedule(id: id, timing: timing, missed: missed, action: action, location: location)
      )
    )
  }

  private static func mistake(_ id: String, _ timing: EffectSchedule<Action>.Timing) -> String? {
    guard id.utf8.count <= DurableTimer.mostIDBytes else {
      return """
        The id of a schedule has \(id.utf8.count) bytes, and at most \(DurableTimer.mostIDBytes) \
        are kept. The schedule is ignored.

        To fix, use a short constant text as the id.
        """
    }
    switch timing {
    case .at(let date) where !(abs(date) <= DurableTimer.greatestDate):
      return """
        The schedule "\(id)" is for a date that no calendar has, and is ignored.

        To fix, compute the date from finite numbers.
        """
    case .every(let seconds) where !(1...DurableTimer.greatestDate ~= seconds):
      return """
        The schedule "\(id)" is for every \(seconds) seconds, and is ignored.

        To fix, use an interval of at least one second. An effect with a clock can be faster.
        """
    case .at, .every: return nil
    }
  }
}

/// A schedule that a reducer has returned.
@usableFromInline
package struct EffectSchedule<Action> {
  /// When a schedule fires.
  enum Timing {
    /// Once, at a date in seconds since 2001.
    case at(Double)
    /// Each time after so many seconds.
    case every(Double)
  }

  let id: String
  let timing: Timing
  let missed: MissedFirings
  let action: Action
  let location: IssueLocation

  func map<T>(_ transform: (Action) -> T) -> EffectSchedule<T> {
    EffectSchedule<T>(
      id: id,
      timing: .init(timing),
      missed: missed,
      action: transform(action),
      location: location,
    )
  }
}

extension EffectSchedule.Timing {
  fileprivate init<Other>(_ other: EffectSchedule<Other>.Timing) {
    switch other {
    case .at(let date): self = .at(date)
    case .every(let seconds): self = .every(seconds)
    }
  }
}
