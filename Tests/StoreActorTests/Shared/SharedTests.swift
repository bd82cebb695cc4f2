import Foundation
import StoreActor
import Testing

@testable import StoreValues

private struct Profile: Codable, Equatable, Sendable {
  var name = "Blob"
  var city: String?
}

private struct Row: Codable, Equatable, Identifiable, Sendable {
  let id: Int
  var title = ""
}

extension SharedKey where Self == InMemoryKey<Int>.Default {
  fileprivate static var visits: Self { Self[.inMemory("visits"), default: 3] }
}

@Suite("Shared values", .timeLimit(.minutes(1)))
struct SharedTests {
  @Test("Copies of a value share it; a new value is separate")
  func shares() {
    @Shared(value: 0) var count
    @Shared(value: 0) var other
    let copy = $count
    copy.withLock { $0 += 1 }
    #expect(count == 1)
    #expect(copy.wrappedValue == 1)
    #expect(other == 0)
    #expect($count.withLock { $0 * 10 } == 10)
  }

  @Test("Replacing a property's shared value does not affect other holders of the old one")
  func assigned() {
    @Shared(value: 1) var count
    let held = $count
    $count = Shared(value: 42)
    $count.withLock { $0 += 1 }
    #expect(count == 43 && held.wrappedValue == 1)
  }

  @Test("A part of it is also shared, and changes the whole")
  func parts() {
    @Shared(value: Profile()) var profile
    @Shared(value: Profile()) var projected
    let name = $profile.name
    name.withLock { $0 = "Blob Jr." }
    #expect(profile == Profile(name: "Blob Jr."))
    $profile.withLock { $0.name = "Blob Sr." }
    #expect(name.wrappedValue == "Blob Sr.")
    let length: SharedReader<Int> = $profile.name.count
    #expect(length.wrappedValue == 8)
    $projected = $profile
    #expect(projected.name == "Blob Sr.")
  }

  @Test("An absent part is not shared; a removed part keeps its last value, and stays removed")
  func presence() throws {
    @Shared(value: Profile()) var profile
    #expect(Shared($profile.city) == nil)
    $profile.withLock { $0.city = "Berlin" }
    let city = try #require(Shared($profile.city))
    city.withLock { $0 += "!" }
    #expect(profile.city == "Berlin!")
    $profile.withLock { $0.city = nil }
    #expect(city.wrappedValue == "Berlin!")
    city.withLock { $0 = "Bern" }
    #expect(profile.city == nil)
  }

  @Test("A holder of a removed row may change it, which no other holder sees")
  func goneRow() throws {
    @Shared(value: [Row(id: 1), Row(id: 2)] as IdentifiedArrayOf<Row>) var rows
    let last = Array($rows)[1]
    $rows.withLock { _ = $0.remove(id: 2) }
    last.withLock { $0.title = "gone" }
    #expect(last.wrappedValue.title == "gone")
    #expect(rows.ids == [1])
    $rows.withLock { $0[id: 2] = Row(id: 2, title: "back") }
    #expect(last.wrappedValue.title == "back")
  }

  @Test("A value is described by its key, or without a key by its value")
  func descriptions() throws {
    @Shared(.inMemory("count")) var count: Int? = 1
    @Shared(value: Profile()) var profile
    #expect("\($count)" == #"Shared<Optional<Int>>(.inMemory("count"))"#)
    #expect("\(try #require(Shared($count)))" == #"Shared<Int>(.inMemory("count")!)"#)
    #expect("\(SharedReader($count))" == #"SharedReader<Optional<Int>>(.inMemory("count"))"#)
    #expect("\($profile.name)".hasPrefix("Shared<String>(value: "))
    #expect("\($profile.name)".contains("[dynamicMember: "))
  }

  @Test("A removed part keeps its last value, independent of its writer and readers")
  func lastPresence() throws {
    @Shared(value: Profile(city: "Berlin")) var profile
    let city = try #require(Shared($profile.city))
    $profile.city.withLock { $0 = "Bern" }
    $profile.withLock { $0.city = "Basel" }
    $profile.city.withLock { $0 = nil }
    $profile.name.withLock { $0 = "Blob Jr." }
    #expect(city.wrappedValue == "Basel")
  }

  @Test("A change of a value within its own change is lost, and reported")
  func nestedChange() {
    @Shared(value: Profile()) var profile
    @Shared(value: 0) var count
    withKnownIssue {
      $profile.withLock {
        $0.city = "Berlin"
        $profile.name.withLock { $0 = "lost" }
      }
    } matching: { issue in
      issue.description.contains("what is set here is lost")
    }
    #expect(profile == Profile(city: "Berlin"))
    $profile.withLock { profile in
      $count.withLock { $0 += 1 }
      profile.name = "Blob Jr."
    }
    #expect(count == 1)
    #expect(profile.name == "Blob Jr.")
  }

  @Test("An observer is notified when the value is readable on other threads")
  func observedFromElsewhere() {
    let count = Shared(value: 0)
    let seen = LockIsolated<[Int]>([])
    withObservationTracking {
      _ = count.wrappedValue
    } onChange: {
      onAnotherThread { seen.withValue { $0.append(count.wrappedValue) } }
    }
    count.withLock { $0 = 1 }
    #expect(seen.value == [1])
  }

  @Test("The rows of a shared list are shared, each by its id")
  func rows() throws {
    @Shared(value: [Row(id: 1), Row(id: 2)] as IdentifiedArrayOf<Row>) var rows
    let second = try #require(Shared($rows[id: 2]))
    $rows.withLock { $0.move(fromOffsets: [1], toOffset: 0) }
    second.withLock { $0.title = "second" }
    #expect(rows[0] == Row(id: 2, title: "second"))
    for row in Array($rows) { row.withLock { $0.title += "." } }
    #expect(rows.map(\.title) == ["second.", "."])
    #expect(Array(SharedReader($rows)).map(\.id) == [2, 1])
  }

  @Test("Changes from many threads are all applied")
  func threads() async {
    let count = Shared(value: 0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<250 { count.withLock { $0 += 1 } } }
      }
    }
    #expect(count.wrappedValue == 2_000)
  }

  @Test("Changes before an error remain, as with any value")
  func errors() {
    struct Failure: Error {}
    let count = Shared(value: 0)
    #expect(throws: Failure.self) {
      try count.withLock {
        $0 = 1
        throw Failure()
      }
    }
    #expect(count.wrappedValue == 1)
    let outside = Outside()
    @Shared(OutsideKey(outside: outside)) var kept = 0
    #expect(throws: Failure.self) {
      try $kept.withLock {
        $0 = 1
        throw Failure()
      }
    }
    #expect(outside.saved.value == [1])
  }

  @Test("An observer of the newest value is notified when it changes")
  func observed() {
    @Shared(value: 0) var count
    let told = LockIsolated(0)
    withObservationTracking {
      _ = count
    } onChange: {
      told.withValue { $0 += 1 }
    }
    $count.withLock { $0 = 0 }
    #expect(told.value == 0)
    $count.withLock { $0 = 1 }
    #expect(told.value == 1)
  }

  @Test("It compares, hashes, dumps and prints as its value does")
  func values() {
    let (one, other) = (Shared(value: 1), Shared(value: 1))
    #expect(one == other)
    #expect(Set([one, other]).count == 1)
    #expect(String(customDumping: one) == "1")
    #expect("\(one)" == "Shared<Int>(value: 1)")
    other.withLock { $0 = 2 }
    #expect(one != other)
    #expect(Shared(value: Row(id: 4)).id == 4)
    #expect(SharedReader.constant(1) == SharedReader(one))
  }
}

@Suite("Keys of shared values", .timeLimit(.minutes(1)))
@MainActor
struct SharedKeyTests {
  private let url = URL(fileURLWithPath: "/settings/profile.json")

  @Test("The first of several initial values counts")
  func firstInitialValue() {
    withDependencies {
      $0.defaultInMemoryStorage = InMemoryStorage()
    } operation: {
      checkInitialValues()
    }
  }

  // Not a closure, since the compiler confuses the initial values of several such variables.
  private func checkInitialValues() {
    @Shared(.inMemory("first")) var first = 1
    @Shared(.inMemory("first")) var second = 2
    #expect(second == 1)
    #expect(first == 1)
    // The value is kept when no holder shares it anymore.
    _ = Shared(wrappedValue: 3, .inMemory("gone"))
    @Shared(.inMemory("gone")) var last = 4
    #expect(last == 3)
  }

  @Test("Values in memory are shared by name, and outlive their holders")
  func inMemory() {
    func visit() -> Int {
      @Shared(.inMemory("visits")) var visits = 0
      return $visits.withLock {
        $0 += 1
        return $0
      }
    }
    #expect(visit() == 1)
    #expect(visit() == 2)
    @Shared(.inMemory("others")) var others = 7
    #expect(others == 7)
    withDependencies {
      $0.defaultInMemoryStorage = InMemoryStorage()
    } operation: {
      #expect(visit() == 1)
    }
  }

  @Test("A key can have the default value, which a property may replace")
  func defaults() {
    @Shared(.visits) var visits
    #expect(visits == 3)
    withDependencies {
      $0.defaultInMemoryStorage = InMemoryStorage()
    } operation: {
      @Shared(.visits) var visits = 5
      @SharedReader(.visits) var read
      #expect(visits == 5)
      $visits.withLock { $0 = 6 }
      #expect(read == 6)
    }
    @Shared(.inMemory("nobody")) var nobody: Profile?
    #expect(nobody == nil)
  }

  @Test(
    "An optional value has its default until a value is stored",
    arguments: [true, false],
  )
  func optionalDefaults(isStored: Bool) {
    func size() -> Shared<Int?> {
      if isStored { return Shared(wrappedValue: 5, .store("size")) }
      return Shared(wrappedValue: 5, .inMemory("size"))
    }
    #expect(size().wrappedValue == 5)
    size().withLock { $0 = 6 }
    #expect(size().wrappedValue == 6)
    size().withLock { $0 = nil }
    #expect(size().wrappedValue == nil)
  }

  @Test("A value in a file is read once, and written after each change")
  func files() throws {
    let files = LockIsolated<[URL: Data]>([url: Data(#"{"name":"Blobby"}"#.utf8)])
    try withDependencies {
      $0.defaultFileStorage = .inMemory(files: files)
    } operation: {
      @Shared(.fileStorage(url)) var profile = Profile()
      #expect(profile.name == "Blobby")
      $profile.city.withLock { $0 = "Berlin" }
      let written = try #require(files.value[url])
      #expect(
        try JSONDecoder().decode(Profile.self, from: written)
          == Profile(name: "Blobby", city: "Berlin")
      )
    }
  }

  @Test("An unreadable file is reported as an error, until it is readable")
  func unreadableFile() async throws {
    let files = LockIsolated<[URL: Data]>([url: Data("?".utf8)])
    try await withDependencies {
      $0.defaultFileStorage = .inMemory(files: files)
    } operation: {
      @Shared(.fileStorage(url)) var profile = Profile()
      #expect(profile == Profile())
      #expect($profile.loadError is DecodingError)
      await #expect(throws: DecodingError.self) { try await $profile.load() }
      files.withValue { $0[url] = Data(#"{"name":"Again"}"#.utf8) }
      try await $profile.load()
      #expect($profile.loadError == nil)
      #expect(profile.name == "Again")
    }
  }

  @Test("Real files are replaced after the change, and callers of save wait for it")
  func fileSystem() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let url = directory.appendingPathComponent("inner/profile.json")
    func profile() -> Shared<Profile> {
      withDependencies {
        $0.defaultFileStorage = .fileSystem
      } operation: {
        Shared(wrappedValue: Profile(), .fileStorage(url))
      }
    }
    let first = profile()
    for number in 0..<100 { first.withLock { $0.name = "\(number)" } }
    // A change that is not written yet is read nevertheless.
    try await first.load()
    #expect(first.wrappedValue.name == "99")
    try await first.save()
    let data = try Data(contentsOf: url)
    #expect(try JSONDecoder().decode(Profile.self, from: data).name == "99")
    #expect(first.saveError == nil)
  }

  @Test("A failure to save reports its reason")
  func unwritable() async {
    struct Failure: Error {}
    let profile = Shared(
      wrappedValue: 0,
      .fileStorage(url, decode: { @Sendable _ in 0 }, encode: { @Sendable _ in throw Failure() }),
    )
    profile.withLock { $0 = 1 }
    #expect(profile.saveError is Failure)
    await #expect(throws: Failure.self) { try await profile.save() }
    #expect(profile.wrappedValue == 1)
  }

  @Test("Settings are shared by name, and follow other changes in the process")
  func settings() {
    @Dependency(\.defaultAppStorage) var settings
    settings.set(true, forKey: "isOn")
    @Shared(.appStorage("isOn")) var isOn = false
    @Shared(.appStorage("name")) var name: String?
    #expect(isOn)
    #expect(name == nil)
    $isOn.withLock { $0.toggle() }
    $name.withLock { $0 = "Blob" }
    #expect(settings.object(forKey: "isOn") as? Bool == false)
    #expect(settings.string(forKey: "name") == "Blob")
    settings.set("Blob Jr.", forKey: "name")
    #expect(name == "Blob Jr.")
    $name.withLock { $0 = nil }
    #expect(settings.object(forKey: "name") == nil)
  }

  @Test("A setting persists until the program's next run")
  func settingsOfAnotherRun() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let suite = directory.appendingPathComponent("settings").path
    await #expect(processExitsWith: .success) { [suite = suite as String] in
      let settings = UserDefaults(suiteName: suite)
      let size = Shared(wrappedValue: 1, .appStorage("size", store: settings))
      let name = Shared<String?>(.appStorage("name", store: settings))
      precondition(size.wrappedValue == 1)
      size.withLock { $0 = 2 }
      name.withLock { $0 = "Blob" }
      precondition(size.saveError == nil && name.saveError == nil)
    }
    #expect(try !FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    await #expect(processExitsWith: .success) { [suite = suite as String] in
      let settings = UserDefaults(suiteName: suite)
      let size = Shared(wrappedValue: 1, .appStorage("size", store: settings))
      let name = Shared<String?>(.appStorage("name", store: settings))
      precondition(size.wrappedValue == 2 && name.wrappedValue == "Blob")
      name.withLock { $0 = nil }
    }
    await #expect(processExitsWith: .success) { [suite = suite as String] in
      let settings = UserDefaults(suiteName: suite)
      precondition(settings?.object(forKey: "name") == nil)
      precondition(settings?.integer(forKey: "size") == 2)
    }
  }

  @Test("A setting that cannot be written reports an error")
  func unwritableSettings() throws {
    final class Unwritable: UserDefaults {
      override func synchronize() -> Bool { false }
    }
    let suite = try #require(Unwritable(suiteName: "unwritable \(UUID())"))
    @Shared(.appStorage("size", store: suite)) var size = 1
    $size.withLock { $0 = 2 }
    #if canImport(Darwin)
    #expect($size.saveError == nil)
    #else
    #expect("\(try #require($size.saveError))".contains("\"size\" could not be written"))
    #endif
  }

  @Test("A setting that was set to nil stays nil when another one is set")
  func absentSettings() {
    @Dependency(\.defaultAppStorage) var settings
    @Shared(.appStorage("name")) var name: String? = "default"
    #expect(name == "default")
    $name.withLock { $0 = "Blob" }
    $name.withLock { $0 = nil }
    settings.set(1, forKey: "another")
    #expect(name == nil)
    settings.set("Blob Jr.", forKey: "name")
    #expect(name == "Blob Jr.")
    settings.removeObject(forKey: "name")
    #expect(name == "default")
  }

  @Test("A setting of another type is ignored")
  func settingsOfAnotherType() {
    @Dependency(\.defaultAppStorage) var settings
    for key in ["isOn", "size", "link", "kind"] { settings.set(["?"], forKey: key) }
    @Shared(.appStorage("isOn")) var isOn: Bool? = true
    @Shared(.appStorage("size")) var size: Int? = 4
    @Shared(.appStorage("link")) var link: URL? = URL(fileURLWithPath: "/")
    @Shared(.appStorage("kind")) var kind: FloatingPointSign? = .minus
    #expect(isOn == true && size == 4 && link?.path == "/" && kind == .minus)
    $kind.withLock { $0 = .plus }
    #expect(settings.object(forKey: "kind") as? Int == 0)
  }

  @Test("URLs are settings in the usual form, files as paths")
  func links() {
    @Dependency(\.defaultAppStorage) var settings
    settings.set(URL(fileURLWithPath: "/tmp/x y"), forKey: "place")
    settings.set("https://example.com/a?b#c", forKey: "page")
    @Shared(.appStorage("place")) var place = URL(fileURLWithPath: "/")
    @Shared(.appStorage("page")) var page: URL?
    #expect(place == URL(fileURLWithPath: "/tmp/x y"))
    #expect(page == URL(string: "https://example.com/a?b#c"))
    $place.withLock { $0 = URL(fileURLWithPath: "/tmp/z") }
    #expect(settings.url(forKey: "place") == URL(fileURLWithPath: "/tmp/z"))
    $page.withLock { $0 = URL(string: "https://example.com/d") }
    #expect(settings.string(forKey: "page") == "https://example.com/d")
  }

  @Test("A custom key reports new values")
  func ownKey() async throws {
    let outside = Outside()
    @Shared(OutsideKey(outside: outside)) var value = 0
    #expect($value.isLoading)
    outside.continuations.withValue { $0.removeFirst() }.resume(returning: 5)
    #expect(!$value.isLoading)
    #expect(value == 5)
    outside.subscriber.value?.yield(6)
    #expect(value == 6)
    $value.withLock { $0 = 7 }
    #expect(outside.saved.value == [7])
    outside.subscriber.value?.yieldReturningInitialValue()
    #expect(value == 0)
    outside.subscriber.value?.yieldLoading()
    #expect($value.isLoading)
    outside.subscriber.value?.yield(throwing: CancellationError())
    #expect($value.loadError is CancellationError)
    outside.subscriber.value?.yieldLoading(false)
    #expect(!$value.isLoading && value == 0)
  }

  @Test("A value that is loaded with another key belongs to that key from then on")
  func otherKey() async throws {
    @Shared(.inMemory("one")) var one = 1
    @Shared(.inMemory("other")) var other = 2
    try await $one.load(.inMemory("other"))
    $one.withLock { $0 += 1 }
    #expect(one == 3 && other == 3)
  }
}

extension SharedKeyTests {
  @Test("A key may access other shared values on other threads during its calls")
  func keysAskOthers() async {
    let other = Shared(value: 3)
    @Shared(AskingKey(other: other)) var value = 0
    #expect(value == 3)
    $value.withLock { $0 = 4 }
    #expect(other.wrappedValue == 4)
    let core = RootCore<AskingState, Bool>(
      initialState: { AskingState(other) },
      reducer: {
        Reduce { state, _ in
          state.late = AskingKey.shared(other, name: "late")
          return .none
        }
      },
    )
    #expect(core.state.value == 4)
    core.send(true)
    // A value that another thread sets is not a change of the step.
    await turns { core.state.late?.wrappedValue == 4 }
    #expect(core.state.late?.wrappedValue == 4)
  }

  @Test("A value is read before a change within another change, during concurrent reads")
  func firstUseInAChange() {
    let other = Shared(value: 0)
    let key = SlowKey()
    // A value that has not called the key yet.
    let again = ReadingScope.run { Shared(wrappedValue: 0, key) }
    key.meanwhile.setValue { other.withLock { _ in again.withLock { $0 += 1 } } }
    let value = Shared(wrappedValue: 0, key)
    #expect(value.wrappedValue == 6)
    #expect(key.saved.value == [6])
  }

  @Test("A waiter for a value that does not arrive can be cancelled")
  func cancelled() async {
    let outside = Outside()
    outside.holdsSaves.setValue(true)
    let value = Shared(wrappedValue: 0, OutsideKey(outside: outside))
    let required = Task { _ = try await Shared(require: OutsideKey(outside: outside)) }
    let load = Task { try await value.load() }
    let save = Task { try await value.save() }
    await turns { outside.continuations.value.count == 3 && outside.saves.value.count == 1 }
    for task in [required, load, save] {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    // Later results have no effect.
    for continuation in outside.continuations.value { continuation.resume(returning: 7) }
    #expect(value.wrappedValue == 0)
    for save in outside.saves.value { save.resume() }
  }

  @Test("Without sharing, keys are not called, and values last as long")
  func alone() async throws {
    let outside = Outside()
    let core = withDependencies {
      $0.shareNothing()
    } operation: {
      RootCore<KeyedState, Int>(
        initialState: { KeyedState(OutsideKey(outside: outside)) },
        reducer: {
          Reduce { state, action in
            state.$value.withLock { $0 += action }
            @Shared(.store("short")) var short = 0
            $short.withLock { $0 += action }
            state.short = short
            return .none
          }
        },
      )
    }
    core.send(2)
    core.send(3)
    #expect(core.state.value == 5 && core.state.short == 5)
    #expect(outside.continuations.value.isEmpty && outside.saved.value.isEmpty)
    try await core.state.$value.load()
    try await Shared.update(core.state.$value) { $0 += 1 }
    #expect(core.state.$value.wrappedValue == 6)
    #expect(outside.continuations.value.isEmpty && outside.saved.value.isEmpty)
  }

  @Test("A value that was read before a change of this process is ignored")
  func lateLoad() {
    let outside = Outside()
    @Shared(OutsideKey(outside: outside)) var value = 0
    $value.withLock { $0 = 7 }
    outside.continuations.withValue { $0.removeFirst() }.resume(returning: 5)
    #expect(value == 7)
    outside.subscriber.value?.yield {
      $value.withLock { $0 = 8 }
      return 6
    }
    #expect(value == 8)
    outside.subscriber.value?.yield { 9 }
    #expect(value == 9)
  }

  @Test("A value that arrives while a change is being saved is ignored")
  func changeUnderWay() {
    let outside = Outside()
    outside.holdsSaves.setValue(true)
    @Shared(OutsideKey(outside: outside)) var value = 0
    #expect($value.isLoading)
    outside.continuations.withValue { $0.removeFirst() }.resume(returning: 5)
    $value.withLock { $0 = 7 }
    outside.subscriber.value?.yield(6)
    #expect(value == 7)
    outside.saves.withValue { $0.removeFirst() }.resume()
    outside.subscriber.value?.yield(8)
    #expect(value == 8)
  }
}

/// A state whose key accesses another shared value.
private struct AskingState {
  @Shared var value: Int
  var late: Shared<Int>?

  init(_ other: Shared<Int>) { _value = AskingKey.shared(other, name: "value") }
}

/// A key with the value of another shared value, which another thread reads.
private struct AskingKey: SharedKey {
  let other: Shared<Int>
  var name = "asking"

  static func shared(_ other: Shared<Int>, name: String) -> Shared<Int> {
    Shared(wrappedValue: 0, AskingKey(other: other, name: name))
  }

  var id: String { name }

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    onAnotherThread { continuation.resume(returning: other.wrappedValue) }
  }

  func subscribe(
    context: LoadContext<Int>,
    subscriber: SharedSubscriber<Int>,
  ) -> SharedSubscription {
    onAnotherThread { _ = other.wrappedValue }
    return SharedSubscription {}
  }

  func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
    onAnotherThread { other.withLock { $0 = value } }
    continuation.resume()
  }
}

/// A state with a custom key.
private struct KeyedState {
  @Shared var value: Int
  var short = 0

  init(_ key: OutsideKey) { _value = Shared(wrappedValue: 0, key) }
}

/// A key whose first read is slow.
private struct SlowKey: SharedKey {
  /// Called during the first read.
  let meanwhile = LockIsolated<(@Sendable () -> Void)?>(nil)
  let saved = LockIsolated<[Int]>([])

  var id: ObjectIdentifier { ObjectIdentifier(saved) }

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    let first = meanwhile.withValue { meanwhile in
      defer { meanwhile = nil }
      return meanwhile
    }
    if let first { onAnotherThread(first) }
    continuation.resume(returning: 5)
  }

  func subscribe(
    context: LoadContext<Int>,
    subscriber: SharedSubscriber<Int>,
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
    saved.withValue { $0.append(value) }
    continuation.resume()
  }
}

/// Storage outside the process that a test controls.
private final class Outside: Sendable {
  let continuations = LockIsolated<[LoadContinuation<Int>]>([])
  let subscriber = LockIsolated<SharedSubscriber<Int>?>(nil)
  let saved = LockIsolated<[Int]>([])
  let holdsSaves = LockIsolated(false)
  let saves = LockIsolated<[SaveContinuation]>([])
}

private struct OutsideKey: SharedKey {
  let outside: Outside

  var id: ObjectIdentifier { ObjectIdentifier(outside) }

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    outside.continuations.withValue { $0.append(continuation) }
  }

  func subscribe(
    context: LoadContext<Int>,
    subscriber: SharedSubscriber<Int>,
  ) -> SharedSubscription {
    outside.subscriber.setValue(subscriber)
    return SharedSubscription {}
  }

  func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
    outside.saved.withValue { $0.append(value) }
    if outside.holdsSaves.value {
      outside.saves.withValue { $0.append(continuation) }
    } else {
      continuation.resume()
    }
  }
}
