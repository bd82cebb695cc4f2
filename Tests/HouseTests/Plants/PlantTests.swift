import Testing

/// The rules detect breaches in the current targets of the product.
@Suite struct PlantTests {
  let repository: Repository

  init() throws {
    repository = try Repository.current.get()
  }

  /// A planted file, and its target.
  private struct Planted {
    let plant: Plant
    let room: Room
    let file: SourceFile
  }

  private func planted() -> [Planted] {
    Plant.all.enumerated().flatMap { number, plant in
      repository.manifest.rooms.filter(plant.holds).map { room in
        Planted(plant: plant, room: room, file: plant.file(in: room, number: number))
      }
    }
  }

  @Test func `A planted breach of each rule is found in each target of each wing`() throws {
    let plants = planted()
    let others = [
      SourceFile(path: "README.md", text: String(repeating: "\n", count: 200)),
      SourceFile(path: "Sources/Values/Elsewhere/Stray.swift", text: ""),
    ]
    let files = plants.map(\.file) + others
    let planted = repository.planting(files)
    let paths = Set(files.map(\.path))
    var found: Set<String> = []
    for rule in Rule.all {
      let breaches = try rule.check(planted).filter { paths.contains($0.path) }
      #expect(!breaches.isEmpty, "no plant breaks the rule: \(rule)")
      found.formUnion(breaches.map { "\($0.rule) \($0.path)" })
    }
    let missed = plants.filter { !found.contains("\($0.plant.rule) \($0.file.path)") }
    let texts = missed.map { "\($0.plant.rule) in \($0.room.wing ?? "Tests"): \($0.file.path)" }
    #expect(texts.isEmpty, "not found: \(texts.joined(separator: "; "))")
  }

  @Test func `Each plant in the product is planted in every wing`() throws {
    let wings = Set(try repository.wings())
    #expect(wings.count > 10)
    for plant in Plant.all {
      guard case .product(let excepted) = plant.place else { continue }
      let reached = Set(repository.manifest.rooms.filter(plant.holds).compactMap(\.wing))
      // A wing is omitted only if all of its targets are excepted by name.
      let whole = wings.filter { wing in
        repository.manifest.product.filter { $0.wing == wing }.allSatisfy {
          excepted.contains($0.name)
        }
      }
      #expect(reached == wings.subtracting(whole), "\(plant.rule)")
      #expect(whole.isSubset(of: ["Client", "Daemon", "Transport"]), "\(plant.rule)")
    }
  }

  @Test func `Each ban is planted`() {
    let planted = Set(Plant.all.map(\.rule))
    let bans = BannedCalls.bans.map(\.rule)
    #expect(bans.filter { !planted.contains($0) } == [])
  }

  @Test func `A file that is in no target is found in each wing with several`() throws {
    let wings = try repository.wings().filter { wing in
      !repository.manifest.rooms.contains { $0.folder == "Sources/\(wing)" }
    }
    let strays = wings.map { "Sources/\($0)/Elsewhere/Stray.swift" }
    let files = repository.files + strays.map { SourceFile(path: $0, text: "") }
    #expect(wings.count > 5)
    #expect(Wings.checkFiles(files, repository.manifest).map(\.path) == strays)
  }

  @Test func `Each wing that loses its page, or a target's name on it, is found`() throws {
    let wings = try repository.wings()
    for wing in wings {
      let page = Wings.page(of: wing)
      let without = repository.files.filter { $0.path != page }
      #expect(Wings.checkPages(wings, without, repository.manifest).map(\.path) == [page])
      for room in repository.manifest.product where room.wing == wing {
        let text = repository.files.first { $0.path == page }?.lines.joined(separator: "\n")
        let wrong = SourceFile(
          path: page,
          text: (text ?? "").replacing("`\(room.name)`", with: "`Other`"),
        )
        let breaches = Wings.checkPages(wings, without + [wrong], repository.manifest)
        #expect(breaches.map(\.path) == [page], "\(room.name)")
      }
    }
  }

  @Test func `A wing or a target that the architecture leaves out is found`() throws {
    let wings = try repository.wings()
    let page = try #require(repository.files.first { $0.path == Architecture.page })
    for room in repository.manifest.product {
      let text = page.lines.map { $0.replacing("`\(room.name)`", with: "`Other`") }
      let wrong = SourceFile(path: page.path, text: text.joined(separator: "\n"))
      let breaches = Architecture.checkWings(wrong, wings, repository.manifest)
      #expect(breaches.count == 1 && breaches[0].what.contains("`\(room.name)`"))
    }
  }
}
