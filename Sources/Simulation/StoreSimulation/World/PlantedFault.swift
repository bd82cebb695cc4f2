import StoreProtocol
import StoreReplica
import StoreServer

/// Something that neither network nor programs do, planted to see that a validator finds it.
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

  /// A later build takes another default for a field than it has.
  case otherDefault
  /// A step says that it changed nothing.
  case emptiedSteps
  /// A step of several scopes leaves the last one out.
  case tornSteps
  /// Steps say that they are of the next revision.
  case shiftedRevisions
  /// Steps come once more, as if they were the next ones.
  case repeatedSteps
  /// A loss is hidden by counting on without it.
  case hiddenLosses
  /// Bookmarks have other digests than the scopes.
  case wrongDigests
  /// Replays say that nothing has changed.
  case emptyReplays
  /// An echo says that it is of the next revision.
  case shiftedEchoes
  /// What is too large to be published is said to have changed nothing.
  case hiddenMarkers
  /// Whoever observes a scope is told while others do not show the step yet.
  case hastyTellings
  /// What was encoded for joiners is thrown away when the state has changed meanwhile.
  case discardedCaptures
  /// What differs is fetched again at once, however often that did not help.
  case hastyRepairs

  // MARK: Actions

  /// Outcomes name the next revision.
  case shiftedOutcomes
  /// Outcomes do not say what the client has to have seen.
  case hastyOutcomes
  /// What was reduced is said to have expired.
  case falseExpiries
  /// What was reduced is said to have been for something absent.
  case falseAbsences
  /// Outcomes do not arrive.
  case lostOutcomes
  /// Actions are sent once more under later sequences.
  case repeatedActions
  /// Actions of one frame are sent in the opposite order.
  case swappedActions

  /// Outcomes say that there are no effects.
  case hiddenEffects
  /// Nobody is told that effects have ended.
  case lostEnds

  // MARK: Disks

  /// The disk says that it keeps what it has not kept yet.
  case hastyCommits
  /// The disk does not notice that it has something else than it was told to keep.
  case uncheckedRecords
  /// The disk keeps once more what it has.
  case repeatedBatches
  /// The disk listens to a daemon also when another one has taken over.
  case unfencedWriters
  /// A daemon that another one has taken over sees that late.
  case cachedSeals
  /// A daemon that starts again does not write what only the cache has.
  case unwrittenEnds
  /// A daemon that starts again believes a snapshot of another history.
  case foreignSnapshots
  /// A daemon that starts again takes the last entry for one that was being written.
  case cutTails
  /// A daemon that starts again does not know what became of actions.
  case forgottenOutcomes
  /// A daemon that starts again does not know who was there.
  case forgottenSessions

  // MARK: Sessions and scopes

  /// Each hello is that of another client.
  case otherClients
  /// A new daemon says that it is the first one.
  case hiddenEpochs
  /// The reducer is not told that a session is over.
  case unheardLeaves
  /// What is dropped stays held.
  case keptScopes
  /// What is due is done too late.
  case lateTurns
  /// Who waits is ended by the deadline of another.
  case sharedDeadlines
  /// Who waits hears nothing of the end of the connection.
  case forgottenWaits
  /// Who awaits effects hears nothing of it.
  case forgottenEffects
  /// Who may not do everything is granted everything.
  case brokenGrants

  /// A promise that it breaks.
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
    case .shiftedOutcomes, .falseExpiries, .falseAbsences, .lostOutcomes, .repeatedActions,
      .otherClients, .forgottenOutcomes:
      "Exactly once"
    case .hastyOutcomes: "Read your writes"
    case .hiddenEffects, .lostEnds: "Effects"
    case .swappedActions: "Serial"
    case .hastyCommits, .uncheckedRecords, .repeatedBatches, .unfencedWriters, .cachedSeals,
      .unwrittenEnds, .foreignSnapshots, .cutTails:
      "Durable"
    case .unheardLeaves, .forgottenSessions: "Session-bound"
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
      // Outputs may be lost where anything goes wrong.
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
      // What a sync leaves out that fails has been followed by more already.
      if self == .hastyCommits { (options.disk.syncFailures, options.disk.takeovers) = (0, 0) }
    case .unwrittenEnds, .foreignSnapshots, .cutTails:
      options = options.withDisk(seed: 3)
      options.disk.foreignSnapshots = self == .foreignSnapshots ? 2 : 0
      if self == .unwrittenEnds {
        options.disk.syncFailures = 3
        options.limits.recordBytesPerSnapshot = 1 << 16
      }
    case .repeatedBatches, .unfencedWriters, .cachedSeals:
      options = options.withDisk(seed: 3)
      options.disk.lostAnswers = 3
      options.disk.takeovers = 2
    // These are planted where daemons start with nothing, or know nothing of disks.
    default: options.disk.isThere = false
    }
    // Only one is about what is too large, and one about what is granted.
    if self != .hiddenMarkers { options.limits.messageBytes = Limits().messageBytes }
    if self != .brokenGrants { options.granted = 0 }
    options.planted = self
    return options
  }
}
