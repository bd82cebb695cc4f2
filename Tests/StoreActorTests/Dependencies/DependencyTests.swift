import StoreActor
import Testing

@Suite("A dependency")
struct DependencyTests {
  @Dependency(\.greeter) var greeter
  @Dependency(Greeter.self) var greeterByKey

  @Test("has its test value in a test")
  func testValue() {
    #expect(greeter.greet("you") == "test you")
    #expect(greeterByKey.greet("you") == "test you")
    @Dependency(\.context) var context
    #expect(context == .test)
  }

  @Test("is what an enclosing scope says, in the scope only")
  func overridden() {
    withDependencies {
      $0.greeter = Greeter { "outer \($0)" }
    } operation: {
      #expect(greeter.greet("you") == "outer you")
      #expect(greeterByKey.greet("you") == "outer you")
      withDependencies {
        $0.greeter.greet = { "inner \($0)" }
      } operation: {
        #expect(greeter.greet("you") == "inner you")
      }
      #expect(greeter.greet("you") == "outer you")
    }
    #expect(greeter.greet("you") == "test you")
  }

  @Test("is what the scope of its owner's making said, also after that scope")
  func captured() {
    let model = withDependencies {
      $0.greeter = Greeter { "made with \($0)" }
    } operation: {
      Model()
    }
    #expect(model.greeting == "made with model")
    #expect(model.source == "test database")
  }

  @Test("is what the reader's scope says, before what its owner's scope said")
  func readersScope() {
    let model = withDependencies {
      $0.greeter = Greeter { "made with \($0)" }
      $0.database = "made"
    } operation: {
      Model()
    }
    withDependencies {
      $0.greeter = Greeter { "read with \($0)" }
    } operation: {
      #expect(model.greeting == "read with model")
      #expect(model.source == "made")
    }
  }

  @Test("has the default of the context that it is asked for in")
  func contexts() {
    func greeting(in context: DependencyContext) -> String {
      withDependencies {
        $0.context = context
      } operation: {
        greeter.greet("you")
      }
    }
    #expect(greeting(in: .live) == "live you")
    #expect(greeting(in: .preview) == "preview you")
    #expect(greeting(in: .test) == "test you")
    #expect(DependencyValues.live.greeter.greet("you") == "live you")
    #expect(DependencyValues.preview.greeter.greet("you") == "preview you")
    #expect(DependencyValues.test.greeter.greet("you") == "test you")
    #expect(DependencyValues.live.context == .live)
  }

  @Test("of all values is what can be seen at the moment")
  func allValues() {
    withDependencies {
      $0.database = "all"
    } operation: {
      @Dependency(\.self) var values
      #expect(values.database == "all")
    }
  }

  @Test("in another's default is what the reader's scope says")
  func nestedDefaults() {
    enum NestedKey: DependencyKey {
      static var liveValue: String { "live" }
      static var testValue: String {
        @Dependency(\.database) var database
        return "on \(database)"
      }
    }
    withDependencies {
      $0.database = "nested"
    } operation: {
      @Dependency(NestedKey.self) var nested
      #expect(nested == "on nested")
    }
  }
}

@Suite("A dependency without a value")
struct MissingDependencyTests {
  @Test("for tests is reported by name and has its preview value")
  func testValue() {
    @Dependency(\.downloader) var downloader
    withKnownIssue {
      #expect(downloader.download() == "from the network")
    } matching: { issue in
      let text = issue.comments.description
      return text.contains(#"@Dependency(\.downloader) has no test implementation"#)
        && text.contains("Downloader")
        && issue.sourceLocation?.fileID.hasSuffix("DependencyTests.swift") == true
    }
  }

  @Test("for tests is reported with its place, its key, its type and what to do")
  func report() {
    @Dependency(\.downloader) var downloader
    let line = #line - 1
    withKnownIssue {
      _ = downloader
    } matching: { issue in
      let text = issue.description
      return issue.sourceLocation?.line == line
        && [
          #"@Dependency(\.downloader) has no test implementation, but was accessed from a test"#,
          "Location:", "StoreActorTests/DependencyTests.swift:\(line)",
          "Key:", "Downloader",
          "Value:",
          "in the trailing 'withDependencies' closure of a 'TestStore'",
        ]
        .allSatisfy(text.contains)
    }
  }

  @Test("for tests is reported by its key where it has no name")
  func testValueByKey() {
    @Dependency(Downloader.self) var downloader
    withKnownIssue {
      _ = downloader.download()
    } matching: {
      $0.comments.description.contains("@Dependency(Downloader.self) has no test implementation")
    }
  }

  @Test("may be looked at in order to set a part of it")
  func setting() {
    withDependencies {
      $0.downloader.download = { "from the test" }
    } operation: {
      @Dependency(\.downloader) var downloader
      #expect(downloader.download() == "from the test")
    }
    @Dependency(\.downloader) var downloader
    withKnownIssue {
      _ = downloader.download()
    } matching: {
      $0.comments.description.contains("no test implementation")
    }
  }

  @Test("for programs is reported and has its test value")
  func liveValue() {
    withKnownIssue {
      withDependencies {
        $0 = .live
      } operation: {
        @Dependency(\.database) var database
        #expect(database == "test database")
      }
    } matching: {
      $0.comments.description.contains(
        #"@Dependency(\.database) has no live implementation, but was accessed from a live context"#
      )
    }
  }
}

@Suite("A test's default values")
struct TestIsolationTests {
  @Test("are made once in a test")
  func once() {
    @Dependency(\.counter) var counter
    counter.withValue { $0 += 1 }
    #expect(counter.value == 1)
    #expect(DependencyValues._current.counter === counter)
  }

  @Test("are not what another test, or its task, has left", arguments: [()])
  func apart(_: Void) async {
    @Dependency(\.counter) var counter
    let seen = await Task {
      @Dependency(\.counter) var counter
      return counter.withValue { count in
        count += 1
        return count
      }
    }.value
    #expect(seen == 1)
    #expect(counter.value == 1)
  }

  @Test("are not what another test has left")
  func apartAgain() {
    @Dependency(\.counter) var counter
    counter.withValue { $0 += 1 }
    #expect(counter.value == 1)
  }

  @Test("are others for each of the values of a whole context")
  func fresh() {
    #expect(DependencyValues.test.counter !== DependencyValues.test.counter)
  }
}
