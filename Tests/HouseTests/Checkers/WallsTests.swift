import Testing

@Suite("The check of imports finds what it is for")
struct WallsTests {
  @Test(
    "An import through a wall is found",
    arguments: [
      ("StoreState", "import StoreActor"),
      ("StoreState", "import ZeroMQ"),
      ("StoreActor", "internal import CZMQ"),
      ("StoreActor", "@preconcurrency import Network"),
      ("StoreReplication", "public import StoreDaemon"),
      ("StoreReplication", "import Glibc"),
      ("StoreReplication", "import func Darwin.socket"),
      ("StoreDaemon", "import StoreClient"),
      ("StoreDaemon", "package import CZMQ"),
      ("StoreClient", "import StoreDaemon"),
      ("StoreClient", "@testable import StoreDaemon"),
      ("Workspace", "import ZeroMQ"),
      ("Workspace", "import FoundationNetworking"),
      ("Daemon", "import StoreClient"),
      ("Daemon", "import ZeroMQ"),
      ("Client", "import StoreDaemon"),
      ("Client", "import StoredWorkspaceLive"),
      ("Client", "@_implementationOnly import struct FoundationNetworking.URLRequest"),
    ],
  )
  func forbidden(room: String, text: String) {
    let breaches = Walls.check(swift("// One.\n  \(text)\n", path: "Sources/\(room)/A/B.swift"))
    #expect(breaches.map(\.line) == [2])
    #expect(breaches.first?.description.contains("\(room) imports") == true)
  }

  @Test(
    "An import through a door is not",
    arguments: [
      ("ZeroMQ", "import CZMQ"),
      ("StoreActor", "public import StoreState"),
      ("StoreReplication", "import Foundation\nimport DequeModule"),
      ("StoreDaemon", "import ZeroMQ\nimport StoreReplication"),
      ("StoreClient", "import ZeroMQ"),
      ("WorkspaceLive", "import FoundationNetworking"),
      ("Daemon", "import StoreDaemon\nimport StoredWorkspaceLive"),
      ("StoreState", "// import StoreActor\nlet a = \"import ZeroMQ\"\nlet importZeroMQ = 1"),
    ],
  )
  func allowed(room: String, text: String) {
    #expect(Walls.check(swift(text, path: "Sources/\(room)/A.swift")).isEmpty)
  }

  @Test("Tests may import what they test, CZMQ only some of them")
  func tests() {
    #expect(Walls.check(swift("import ZeroMQ", path: "Tests/StoreDaemonTests/A.swift")).isEmpty)
    #expect(Walls.check(swift("import CZMQ", path: "Tests/ZeroMQTests/A.swift")).isEmpty)
    #expect(Walls.check(swift("import CZMQ", path: "Tests/StoreJournalTests/A.swift")).count == 1)
  }

  @Test("A socket by another name is found in the rooms that know none")
  func sockets() {
    let text = "func f() {\n  let a = socket(AF_UNIX, 1, 0)\n}"
    #expect(Walls.check(swift(text, path: "Sources/StoreActor/A.swift")).map(\.line) == [2])
    #expect(Walls.check(swift(text, path: "Sources/StoreDaemon/A.swift")).isEmpty)
  }

  @Test("A room that the table does not know is found")
  func unlisted() {
    #expect(Walls.unlisted(["StoreState", "Attic"]).map(\.path) == ["Sources/Attic"])
  }

  @Test("The table has each room once, and only rooms and guarded modules behind its doors")
  func table() {
    let names = Walls.rooms.map(\.name)
    #expect(Set(names).count == names.count)
    let modules = Set(Walls.rooms.map(\.module))
    for room in Walls.rooms {
      let doors = room.mayImport
      #expect(doors.isSubset(of: modules.union(Walls.guardedOutside)), "\(room.name)")
      #expect(!doors.contains(room.module))
    }
  }
}
