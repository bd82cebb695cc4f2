import Foundation
import StoreProtocol
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

private func isProgram(_ path: String) -> Bool {
  FileManager.default.isExecutableFile(atPath: path)
}

/// Whether the tests can create networks.
private let mayMakeNetworks: Bool = {
  guard geteuid() == 0, ["/usr/bin/unshare", "/usr/bin/nsenter"].allSatisfy(isProgram),
    ["/usr/sbin/ip", "/sbin/ip"].contains(where: isProgram), isProgram("/usr/bin/python3")
  else { return false }
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/unshare")
  process.arguments = [
    "-n", "/bin/sh", "-c", "PATH=/usr/sbin:/sbin:$PATH; ip link add v type veth peer name w",
  ]
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return false }
  process.waitUntilExit()
  return process.terminationStatus == 0
}()

extension ProcessTests {
  /// A daemon's machine and another one, each a network of its own, with a cable between them whose
  /// traffic is recorded.
  @Suite(
    "Machines on two sides of a network",
    .enabled(
      if: mayMakeNetworks,
      "only root can make networks, on Linux, with iproute2 and Python",
    ),
  )
  struct NetworkTests {
    private static let near = "10.77.0.1"
    private static let far = "10.77.0.2"
    private static let address = "tcp://\(near):5555"

    /// Connects to a port, sends the given hexadecimal bytes, and prints the number of bytes that
    /// it receives until it is disconnected.
    private static let stranger = """
      import socket, sys
      wire = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
      heard = 0
      try:
        wire.sendall(bytes.fromhex(sys.argv[3]))
        while True:
          count = len(wire.recv(4096))
          if not count: break
          heard += count
      except ConnectionError: pass
      print(heard)
      """

    /// Two machines, by the processes that hold their networks.
    private struct Cable {
      let near: ChildProcess
      let far: ChildProcess
      let recorder: ChildProcess
      let recording: String

      /// The bytes that were on the cable.
      func recorded() throws -> Data { try Data(contentsOf: URL(filePath: recording)) }
    }

    private static let recorder = """
      import socket, sys
      wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
      with open(sys.argv[1], "wb", buffering=0) as file:
        print("ready", flush=True)
        while True: file.write(wire.recv(1 << 16))
      """

    private func cable(_ world: World) async throws -> Cable {
      func network() async throws -> (process: ChildProcess, pid: String) {
        let script = "PATH=/usr/sbin:/sbin:$PATH; ip link set lo up; echo $$; read end"
        let process = try world.start(path: "/usr/bin/unshare", ["-n", "/bin/sh", "-c", script])
        return (process, try await process.output.lines(atLeast: 1)[0])
      }
      let (near, far) = (try await network(), try await network())
      let script = """
        set -e; PATH=/usr/sbin:/sbin:$PATH
        nsenter -t \(near.pid) -n ip link add cable type veth peer name cable netns \(far.pid)
        nsenter -t \(near.pid) -n ip addr add \(Self.near)/24 dev cable
        nsenter -t \(far.pid) -n ip addr add \(Self.far)/24 dev cable
        nsenter -t \(near.pid) -n ip link set cable up
        nsenter -t \(far.pid) -n ip link set cable up
        """
      let made = try await world.run("/bin/sh", "-c", script)
      guard made.isSuccess else { throw ProcessFailure("No networks: \(made.errorText)") }
      let recording = "\(world.directory)/recording"
      let recorder = try world.start(
        path: "/usr/bin/nsenter",
        ["-t", far.pid, "-n", "/usr/bin/python3", "-c", Self.recorder, recording],
      )
      _ = try await recorder.output.lines(atLeast: 1)
      return Cable(
        near: near.process,
        far: far.process,
        recorder: recorder,
        recording: recording,
      )
    }

    /// Starts a program on one of the machines.
    private func start(
      _ world: World,
      on machine: ChildProcess,
      _ program: Program,
      _ arguments: [String],
      environment: [String: String] = [:],
    ) throws -> ChildProcess {
      // The process that holds the network is the one that was started: `unshare` becomes it.
      try world.start(
        path: "/usr/bin/nsenter",
        ["-t", "\(machine.pid)", "-n", program.path] + arguments,
        environment: environment,
      )
    }

    /// Runs a client on the remote machine.
    private func run(
      _ world: World,
      _ cable: Cable,
      _ guest: Guest,
      _ arguments: [String],
    ) async throws -> World.Run {
      try await world.finish(
        start(world, on: cable.far, .storectl, arguments, environment: guest.environment)
      )
    }

    @Test
    func `A granted key sees its scopes, a stranger sees no byte, and the cable leaks no text`()
      async throws
    {
      try await World.run { world in
        let cable = try await cable(world)
        let listening = ["--dir", world.directory, "--listen", Self.address]
        let daemon = try start(world, on: cable.near, .stored, listening)
        _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
        let line = try await world.invite("laptop", "--grant", "todos:see,send=addButtonTapped")
        let guest = try Guest(world, "guest", at: Self.address)
        let enrolled = try await run(world, cable, guest, ["enrol", line])
        #expect(enrolled.isSuccess, "\(enrolled.errorText)")
        try await checkGuest(world, cable, guest)
        try await checkStranger(world, cable, line)
        let bytes = try cable.recorded()
        #expect(bytes.range(of: Data("CURVE".utf8)) != nil)
        for text in ["confidential", "addButtonTapped", "todos", "laptop"] {
          #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) was on the cable")
        }
        #expect(daemon.isRunning)
      }
    }

    private func checkGuest(_ world: World, _ cable: Cable, _ guest: Guest) async throws {
      func command(_ arguments: String...) async throws -> World.Run {
        try await run(world, cable, guest, ["--connect", guest.address, "--json"] + arguments)
      }
      for number in 1...3 {
        let action = #"{"addButtonTapped":{"title":"confidential \#(number)"}}"#
        #expect(try await command("send", "todos", action).isSuccess)
      }
      let todos = try await command("get", "todos")
      #expect(todos.output.joined().contains("confidential 3"))
      #expect(try await !command("send", "todos", #""clearCompletedButtonTapped""#).isSuccess)
      #expect(try await !command("get", "counter").isSuccess)
      #expect(try await command("scopes").output.count == 1)
    }

    /// Expects that a peer without a key sends no data, and that a used line is refused.
    private func checkStranger(_ world: World, _ cable: Cable, _ line: String) async throws {
      let stranger = try Guest(world, "stranger", at: Self.address)
      for arguments in [["scopes"], ["status"], ["get", "todos"]] {
        let words = ["--connect", Self.address, "--json"] + arguments
        let refused = try await run(world, cable, stranger, words)
        #expect(refused.end == .status(77) && refused.output == [])
      }
      #expect(try await !run(world, cable, stranger, ["enrol", line]).isSuccess)
      try await checkRawStranger(world, cable)
    }

    /// Expects that a raw peer receives at most the sockets' greeting, which contains no name.
    private func checkRawStranger(_ world: World, _ cable: Cable) async throws {
      let hello = ZMTP.longMessage(ClientMessage.rawHello(1).encoded())
      let join = ZMTP.longMessage(ClientMessage.rawJoin(["counter"]).encoded())
      let open = ZMTP.opening("DEALER")
      var curve = open
      curve.replaceSubrange(12..<17, with: Array("CURVE".utf8))
      let words: [(port: Int, bytes: [UInt8])] = [
        (5_555, open + hello + join), (5_555, curve + hello + join),
        (5_556, ZMTP.opening("XSUB") + ZMTP.message([1, 0x12])), (5_556, curve),
        (5_555, Array("POST / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)),
        (5_555, [1, 0] + ZMTP.oldMessage(ClientMessage.rawHello(1).encoded())),
      ]
      for (port, bytes) in words {
        let hex = KeyText.text(bytes)
        let peer = try world.start(
          path: "/usr/bin/nsenter",
          ["-t", "\(cable.far.pid)", "-n", "/usr/bin/python3", "-c", Self.stranger]
            + [Self.near, "\(port)", hex],
        )
        let heard = try await world.finish(peer)
        let count = try #require(heard.output.first.flatMap { Int($0) }, "\(heard.errorText)")
        #expect(count <= 64, "at \(port) a stranger heard \(count) bytes")
      }
    }
  }
}
