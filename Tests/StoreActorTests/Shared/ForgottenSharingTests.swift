import StoreActor
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ForgottenSharingTests {
  @Test func `A client's value that is not shared with its daemon is reported, and not updated`()
    async
  {
    await withDependencies {
      $0.context = .live
    } operation: {
      await SharedProcess.$assumedClient.withValue(true) {
        await withKnownIssue {
          let size = Shared(wrappedValue: 1, .store("forgotten"))
          await #expect(throws: (any Error).self) { try await Shared.update(size) { $0 = 2 } }
          #expect(size.wrappedValue == 1)
        } matching: {
          $0.description.contains("share(in: &$0)")
        }
      }
      _ = Shared(wrappedValue: 1, .store("process"))
    }
    await SharedProcess.$assumedClient.withValue(true) {
      // A test has its own storage.
      let size = Shared(wrappedValue: 1, .store("test"))
      await #expect(throws: Never.self) { try await Shared.update(size) { $0 = 2 } }
      #expect(size.wrappedValue == 2)
    }
  }

  @Test func `A process that hosts a daemon has its own values, although it has a connection`()
    async
  {
    await #expect(processExitsWith: .success) {
      SharedProcess.beginConnecting()
      SharedProcess.beginHosting()
      let size = withDependencies {
        $0.context = .live
      } operation: {
        Shared(wrappedValue: 1, .store("hosted"))
      }
      try await Shared.update(size) { $0 = 2 }
      precondition(size.wrappedValue == 2)
    }
    // Without its own daemon such a process is a client.
    await #expect(processExitsWith: .failure) {
      SharedProcess.beginConnecting()
      let size = withDependencies {
        $0.context = .live
      } operation: {
        Shared(wrappedValue: 1, .store("forgotten"))
      }
      try await Shared.update(size) { $0 = 2 }
    }
  }
}
