import StoreProtocol
import StoreReplica
import StoreServer

/// A fault that neither network nor programs have, planted to prove that a validator detects it.
package enum PlantedFault: String, Hashable, Sendable, CaseIterable {
  // MARK: Outputs

  /// Outputs arrive twice.
  case repeatedOutputs
  /// Outputs of one message arrive in the opposite order.
  case swappedOutputs
  /// Outputs arrive at another scope of the view.
  case strayOutputs
  /// Outputs arrive before the state that they belong to.
  case earlyOutputs
  /// Outputs of calm times do not arrive.
  case droppedOutputs

  // MARK: States

  /// A later build uses a wrong default for a field.
  case otherDefault
  /// A step claims that it changed no scope.
  case emptiedSteps
  /// A step of several scopes omits the last one.
  case tornSteps
  /// Steps have the number of the next revision.
  case shiftedRevisions
  /// Steps arrive a second time, as if they were the next ones.
  case repeatedSteps
  /// Sequence numbers continue without a gap after a loss.
  case hiddenLosses
  /// Bookmarks have other digests than the scopes.
  case wrongDigests
  /// Replays claim that the state is unchanged.
  case emptyReplays
  /// An echo has the number of the next revision.
  case shiftedEchoes
  /// A change that is too large to be published is reported as no change.
  case hiddenMarkers
  /// Observers of a scope are notified before other scopes show the step.
  case hastyTellings
  /// A capture for joining clients is discarded if the state has changed meanwhile.
  case discardedCaptures
  /// A scope that differs is fetched again at once, without back-off.
  case hastyRepairs

  // MARK: Actions

  /// Outcomes name the next revision.
  case shiftedOutcomes
  /// Outcomes lack the watermark that the client has to reach first.
  case hastyOutcomes
  /// A reduced action is reported as expired.
  case falseExpiries
  /// A reduced action is reported as sent to an absent scope.
  case falseAbsences
  /// An action that was reduced is answered with a reducer's refusal.
  case falseRefusals
  /// An action that was reduced is answered as one that has ended the daemon.
  case falseCrashes
  /// A restarted daemon does not know the reductions in which earlier ones ended.
  case forgottenCrashes
  /// Outcomes have the reply to another action.
  case mixedReplies
  /// Outcomes lack the reply of the reducer.
  case lostReplies
  /// Outcomes do not arrive.
  case lostOutcomes
  /// Actions are sent once more under later sequences.
  case repeatedActions
  /// Actions of one frame are sent in the opposite order.
  case swappedActions

  /// Outcomes state that the action has no effects.
  case hiddenEffects
  /// Clients receive no notice of the end of effects.
  case lostEnds

  // MARK: Disks

  /// The disk reports a batch as durable before it is.
  case hastyCommits
  /// The disk does not verify the checksum of its records.
  case uncheckedRecords
  /// The disk stores a batch a second time.
  case repeatedBatches
  /// The disk accepts writes of a daemon after another one has opened it.
  case unfencedWriters
  /// A superseded daemon notices its seal late.
  case cachedSeals
  /// A restarted daemon does not write the rows again that only the cache has.
  case unwrittenEnds
  /// A restarted daemon accepts a snapshot of another history.
  case foreignSnapshots
  /// A restarted daemon treats the last entry as unfinished.
  case cutTails
  /// A restarted daemon does not know the outcomes of actions.
  case forgottenOutcomes
  /// A restarted daemon does not know the earlier sessions.
  case forgottenSessions
  /// A restarted daemon does not know the schedules.
  case forgottenAlarms
  /// A restarted daemon has schedules that have fired.
  case repeatedAlarms

  // MARK: Sessions and scopes

  /// Each hello has the identity of another client.
  case otherClients
  /// A new daemon claims to be the first one.
  case hiddenEpochs
  /// The reducer receives no action for the end of a session.
  case unheardLeaves
  /// Dropped stores stay held.
  case keptScopes
  /// Due turns run 50 ms late.
  case lateTurns
  /// The deadline of one wait ends another wait.
  case sharedDeadlines
  /// Waiters are not notified of the end of the connection.
  case forgottenWaits
  /// Waiters for effects are not notified of the end of the connection.
  case forgottenEffects
  /// A restricted client receives all rights.
  case brokenGrants

  /// A promise that the fault breaks.
  package var promise: String {
    switch self {
    case .repeatedOutputs, .swappedOutputs: "Outputs in order"
    case .strayOutputs, .earlyOutputs: "Outputs in place"
    case .droppedOutputs: "Outputs arrive"
    case .otherDefault, .emptiedSteps, .tornSteps, .shiftedRevisions, .hiddenLosses, .emptyReplays,
      .hiddenEpochs, .hiddenMarkers, .hastyTellings:
      "Cut-consistent"
    case .repeatedSteps: "Ordered"
    case .wrongDigests, .shiftedEchoes: "Rest"
    case .shiftedOutcomes, .falseExpiries, .falseAbsences, .falseRefusals, .lostOutcomes,
      .repeatedActions, .otherClients, .forgottenOutcomes:
      "Exactly once"
    case .mixedReplies, .lostReplies: "Replies"
    case .falseCrashes, .forgottenCrashes: "Crashes"
    case .hastyOutcomes: "Read your writes"
    case .hiddenEffects, .lostEnds: "Effects"
    case .swappedActions: "Serial"
    case .hastyCommits, .uncheckedRecords, .repeatedBatches, .unfencedWriters, .cachedSeals,
      .unwrittenEnds, .foreignSnapshots, .cutTails:
      "Durable"
    case .unheardLeaves, .forgottenSessions: "Session-bound"
    case .forgottenAlarms, .repeatedAlarms: "Alarms"
    case .keptScopes: "Held"
    case .lateTurns, .sharedDeadlines, .forgottenWaits, .forgottenEffects: "Waits end"
    case .discardedCaptures: "Waits succeed"
    case .hastyRepairs: "Backs off"
    case .brokenGrants: "Granted"
    }
  }

  /// The options of a seed with the fault.
  package func options(seed: UInt64) -> SimulationOptions {
    var options = SimulationOptions(seed: seed)
    switch self {
    case .repeatedOutputs, .swappedOutputs, .strayOutputs, .earlyOutputs, .droppedOutputs:
      // Other faults may lose outputs.
      options = SimulationOptions()
      options.clients = 5
    case .otherDefault:
      options = SimulationOptions()
      options.laterClients = 1
    case .hastyRepairs: options = SimulationOptions()
    case .discardedCaptures:
      options = SimulationOptions()
      options.captureDuration = .milliseconds(50) ... .milliseconds(100)
      options.actionsPerClient = 200
    case .forgottenCrashes:
      options.faults.crashes = 2
    case .forgottenWaits, .forgottenEffects:
      options.faults.closes = 2
      options.disk.isThere = false
    case .brokenGrants:
      options.clients = 4
      options.granted = 1
    case .hiddenMarkers:
      options = SimulationOptions()
      options.limits.messageBytes = 256
      options.titleBytes = 1_024
    case .hastyCommits, .uncheckedRecords, .forgottenOutcomes, .forgottenSessions:
      options = options.withDisk(seed: 3)
      options.disk.damages = 2
      // Later batches may already follow the data that a failed sync omits.
      if self == .hastyCommits { (options.disk.syncFailures, options.disk.takeovers) = (0, 0) }
    case .unwrittenEnds, .foreignSnapshots, .cutTails:
      options = options.withDisk(seed: 3)
      options.disk.foreignSnapshots = self == .foreignSnapshots ? 2 : 0
      if self == .unwrittenEnds {
        options.disk.syncFailures = 3
        options.limits.recordBytesPerSnapshot = 1 << 16
      }
    case .forgottenAlarms, .repeatedAlarms:
      options = options.withDisk(seed: 3)
      options.disk.damages = 0
      options.faults.alarms = 6
    case .repeatedBatches, .unfencedWriters, .cachedSeals:
      options = options.withDisk(seed: 3)
      options.disk.lostAnswers = 3
      options.disk.takeovers = 2
    // These faults apply to daemons that start empty or have no disk.
    default: options.disk.isThere = false
    }
    // One fault concerns message size, and one concerns grants; the others use the defaults.
    if self != .hiddenMarkers { options.limits.messageBytes = Limits().messageBytes }
    if self != .brokenGrants { options.granted = 0 }
    options.planted = self
    return options
  }
}
