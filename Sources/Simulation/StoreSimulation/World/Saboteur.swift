import StoreProtocol
import StoreState

/// Applies a planted fault to messages on their way.
@MainActor
final class Saboteur {
  private let fault: PlantedFault
  /// The number of lost sequences by topic.
  private var lost: [[UInt8]: UInt64] = [:]
  /// The first epoch that each client received.
  private var epochs: [Int: UInt64] = [:]
  private var generator: SeededGenerator

  init(_ fault: PlantedFault, generator: SeededGenerator) {
    self.fault = fault
    self.generator = generator
  }

  // MARK: Published messages

  /// Returns the messages that replace a published message.
  func published(_ topic: [UInt8], _ body: [UInt8]) -> [[UInt8]] {
    guard let message = try? PublishedMessage(frame: body[...]) else { return [body] }
    return tamper(message, topic)?.map { $0.encoded() } ?? [body]
  }

  private func tamper(_ message: PublishedMessage, _ topic: [UInt8]) -> [PublishedMessage]? {
    switch message {
    case .outputs(let outputs): return tamper(outputs)
    case .deltas(let run): return tamper(run, topic)
    case .bookmark(var bookmark):
      switch fault {
      case .wrongDigests, .hastyRepairs:
        bookmark.digests = bookmark.digests.map { Digest(rawValue: $0.rawValue ^ 1) }
        return [.bookmark(bookmark)]
      case .hiddenLosses:
        bookmark.sequence -= lost[topic] ?? 0
        return [.bookmark(bookmark)]
      default: return nil
      }
    case .marker(let marker):
      guard fault == .hiddenMarkers else { return nil }
      let step = PublishedMessage.Step(revision: marker.revision, changes: [])
      return [.deltas(PublishedMessage.DeltaRun(sequence: marker.sequence, steps: [step]))]
    case .echo(var echo):
      guard fault == .shiftedEchoes else { return nil }
      echo.revision += 1
      return [.echo(echo)]
    }
  }

  private func tamper(_ outputs: PublishedMessage.Outputs) -> [PublishedMessage]? {
    var changed = outputs
    switch fault {
    case .repeatedOutputs: return [.outputs(outputs), .outputs(outputs)]
    case .droppedOutputs: return []
    case .swappedOutputs: changed.outputs.reverse()
    case .strayOutputs: for index in changed.outputs.indices { changed.outputs[index].index ^= 1 }
    case .earlyOutputs: changed.sequence = 0
    default: return nil
    }
    return [.outputs(changed)]
  }

  private func tamper(_ run: PublishedMessage.DeltaRun, _ topic: [UInt8]) -> [PublishedMessage]? {
    var changed = run
    let last = run.count - 1
    switch fault {
    case .emptiedSteps: changed.steps[last].changes = []
    case .tornSteps:
      guard run.steps[last].changes.count > 1 else { return nil }
      changed.steps[last].changes.removeLast()
    case .shiftedRevisions: for step in 0...last { changed.steps[step].revision += 1 }
    case .repeatedSteps:
      changed.sequence += UInt64(run.count)
      return [.deltas(run), .deltas(changed)]
    case .hiddenLosses:
      changed.sequence -= lost[topic] ?? 0
      guard generator.chance(0.2) else { return [.deltas(changed)] }
      lost[topic, default: 0] += UInt64(run.count)
      return []
    default: return nil
    }
    return [.deltas(changed)]
  }

  /// Whether a published message precedes the messages that it has to follow.
  func hurries(_ body: [UInt8]) -> Bool {
    guard fault == .earlyOutputs, let message = try? PublishedMessage(frame: body[...]),
      case .outputs = message
    else { return false }
    return true
  }

  // MARK: Control frames

  /// Returns the frames that replace a control frame to a client.
  func toClient(_ index: Int, _ frame: [UInt8]) -> [[UInt8]] {
    guard let message = try? DaemonMessage(frame: frame[...]) else { return [frame] }
    return tamper(message, index)?.map { $0.encoded() } ?? [frame]
  }

  private func tamper(_ message: DaemonMessage, _ index: Int) -> [DaemonMessage]? {
    switch message {
    case .acks(var acks):
      if fault == .lostOutcomes { return [] }
      if fault == .hastyOutcomes { (acks.watermark.nonce, acks.watermark.sequence) = (0, 0) }
      acks.outcomes = acks.outcomes.map { tamper($0) }
      return [.acks(acks)]
    case .finished: return fault == .lostEnds ? [] : nil
    case .replay(var replay):
      guard fault == .emptyReplays else { return nil }
      replay.delta = nil
      return [.replay(replay)]
    case .helloOK(var hello):
      guard fault == .hiddenEpochs else { return nil }
      hello.epoch = epochs[index] ?? hello.epoch
      epochs[index] = hello.epoch
      return [.helloOK(hello)]
    default: return nil
    }
  }

  private func tamper(_ outcome: Outcome) -> Outcome {
    guard let (revision, hasEffects) = outcome.applied else { return outcome }
    switch fault {
    case .mixedReplies:
      guard case .replied(var reply) = outcome, let value = reply.value else { return outcome }
      reply.value = EncodedValue(schema: value.schema, bytes: revision.encoded())
      return .replied(reply)
    case .lostReplies: return outcome.withoutReply
    case .shiftedOutcomes: return .applied(revision: revision + 1, hasEffects: hasEffects)
    case .hiddenEffects: return .applied(revision: revision, hasEffects: false)
    case .falseExpiries: return .failed(Outcome.Failure(code: Outcome.expired, message: "planted"))
    case .falseRefusals:
      let failure = Outcome.Failure(code: Outcome.refused, message: Board.refusal)
      return .failed(failure)
    case .falseCrashes: return .failed(Outcome.Failure(code: Outcome.crashed, message: "planted"))
    case .falseAbsences: return .failed(Outcome.Failure(code: Outcome.absent, message: "planted"))
    default: return outcome
    }
  }

  /// Returns the frames that replace a client's control frame.
  func toDaemon(_ frame: [UInt8]) -> [[UInt8]] {
    guard let message = try? ClientMessage(frame: frame[...]) else { return [frame] }
    switch message {
    case .actions(let first, let requests):
      switch fault {
      case .repeatedActions:
        let again = ClientMessage.actions(first: first + UInt64(requests.count), requests)
        return [frame, again.encoded()]
      case .swappedActions:
        return [ClientMessage.actions(first: first, requests.reversed()).encoded()]
      default: return [frame]
      }
    case .hello(var hello):
      guard fault == .otherClients else { return [frame] }
      hello.clientID = .random(using: &generator)
      hello.token = nil
      return [ClientMessage.hello(hello).encoded()]
    default: return [frame]
    }
  }
}
