import Testing

@Suite("The check of imports detects its breaches")
struct WallsTests {
  @Test(
    "An import through a wall is found",
    arguments: [
      ("StoreState", "import StoreActor"),
      ("StoreState", "import ZeroMQ"),
      ("StoreActor", "internal import CZMQ"),
      ("StoreActor", "@preconcurrency import Network"),
      ("StoreServer", "public import StoreDaemon"),
      ("StoreServer", "import Glibc"),
      ("StoreServer", "import func Darwin.socket"),
      ("StoreProtocol", "import StoreActor"),
      ("StoreReplica", "import StoreServer"),
      ("StoreClient", "import StoreHistory"),
      ("StoreDaemon", "import StoreClient"),
      ("StoreDaemon", "package import CZMQ"),
      ("StoreClient", "import StoreDaemon"),
      ("StoreClient", "@testable import StoreDaemon"),
      ("StoredWorkspace", "import ZeroMQ"),
      ("StoredWorkspace", "import FoundationNetworking"),
      ("StoredMain", "import StoreClient"),
      ("StoredMain", "import ZeroMQ"),
      ("StorectlMain", "import StoreDaemon"),
      ("StorectlMain", "import StoredWorkspaceLive"),
      ("StorectlMain", "@_implementationOnly import struct FoundationNetworking.URLRequest"),
    ],
  )
  func forbidden(room: String, text: String) {
    let breaches = Walls.check(swift("// One.\n  \(text)\n", in: room, at: "A/B.swift"))
    #expect(breaches.map(\.line) == [2])
    #expect(breaches.first?.description.contains("\(room) imports") == true)
  }

  @Test(
    "An import through a door is not a breach",
    arguments: [
      ("ZeroMQ", "import CZMQ"),
      ("StoreActor", "public import StoreState"),
      ("StoreServer", "import Foundation\nimport DequeModule"),
      ("StoreDaemon", "import ZeroMQ\nimport StoreServer"),
      ("StoreClient", "import ZeroMQ"),
      ("StoredWorkspaceLive", "import FoundationNetworking"),
      ("StoredMain", "import StoreDaemon\nimport StoredWorkspaceLive"),
      ("StoreState", "// import StoreActor\nlet a = \"import ZeroMQ\"\nlet importZeroMQ = 1"),
    ],
  )
  func allowed(room: String, text: String) {
    #expect(Walls.check(swift(text, in: room)).isEmpty)
  }

  @Test("Tests may import the targets that they test, and only some of them CZMQ")
  func tests() {
    #expect(Walls.check(test("import ZeroMQ", in: "StoreDaemonTests")).isEmpty)
    #expect(Walls.check(test("import CZMQ", in: "ZeroMQTests")).isEmpty)
    #expect(Walls.check(test("import CZMQ", in: "StoreJournalTests")).count == 1)
  }

  @Test("A socket by another name is found in the targets without sockets")
  func sockets() {
    let text = "func f() {\n  let a = socket(AF_UNIX, 1, 0)\n}"
    #expect(Walls.check(swift(text, in: "StoreActor")).map(\.line) == [2])
    #expect(Walls.check(swift(text, in: "StoreDaemon")).isEmpty)
  }

  @Test("A target that the table lacks is found")
  func unlisted() {
    let rooms = ["StoreState", "Attic"].enumerated().map {
      Room(name: $1, folder: "Sources/Wing/\($1)", line: $0)
    }
    #expect(Walls.unlisted(rooms).map(\.line) == [1])
  }

  @Test("The table has each target once, and only guarded modules as its doors")
  func table() {
    let names = Walls.doors.map(\.room)
    #expect(Set(names).count == names.count)
    for door in Walls.doors {
      #expect(door.mayImport.isSubset(of: Walls.guarded), "\(door.room)")
      #expect(!door.mayImport.contains(door.room))
    }
  }

  @Test("All targets of the table are in the manifest")
  func listed() throws {
    let names = Set(try Repository.current.get().manifest.product.map(\.name))
    #expect(Walls.doors.map(\.room).filter { !names.contains($0) } == [])
  }

  @Test("No wing imports one below it")
  func order() throws {
    let product = try Repository.current.get().manifest.product
    let wings = product.compactMap(\.wing)
    func level(_ name: String) -> Int? {
      product.first { $0.name == name }?.wing.flatMap(wings.firstIndex)
    }
    for door in Walls.doors {
      for module in door.mayImport {
        guard let imported = level(module), let importer = level(door.room) else { continue }
        #expect(imported <= importer, "\(door.room) imports \(module)")
      }
    }
  }
}
