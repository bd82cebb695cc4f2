import StoreActor
import Testing

@testable import StoreDependencies

@Suite("Changed dependencies")
struct WithDependenciesTests {
  @Dependency(\.database) var database

  @Test("apply in an asynchronous operation and in the tasks that it starts")
  func asynchronous() async throws {
    let seen = await withDependencies {
      await Task.yield()
      $0.database = "async"
    } operation: {
      await Task.yield()
      async let child = database
      let task = Task { database }
      return [database, await child, await task.value]
    }
    #expect(seen == ["async", "async", "async"])
    #expect(database == "test database")
  }

  @Test("apply in a detached task only if they are passed to it")
  func escaped() async {
    await withDependencies {
      $0.database = "escaped"
    } operation: {
      let plain = await Task.detached { database }.value
      let given = await withEscapedDependencies { dependencies in
        await Task.detached { dependencies.yield { database } }.value
      }
      let givenAsync = await withEscapedDependencies { dependencies in
        await Task.detached {
          await dependencies.yield {
            await Task.yield()
            return database
          }
        }.value
      }
      #expect(plain != "escaped")
      #expect(given == "escaped")
      #expect(givenAsync == "escaped")
    }
  }

  @Test("do not apply when changing them fails")
  func failing() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try withDependencies {
        $0.database = "failing"
        throw Refusal()
      } operation: {
        Issue.record("The operation ran.")
      }
    }
    #expect(database == "test database")
  }

  @Test("of a model apply in the model that it creates")
  func fromModel() {
    let parent = withDependencies {
      $0.greeter = Greeter { "parent's \($0)" }
    } operation: {
      Grandparent()
    }
    let child = parent.child()
    #expect(child.greeting == "parent's model")
  }

  @Test("of a model without any dependency are those of the scope that created it")
  func fromObject() {
    let parent = withDependencies {
      $0.greeter = Greeter { "scope's \($0)" }
    } operation: {
      Parent()
    }
    #expect(parent.child().greeting == "scope's model")
  }

  @Test("of a model can be changed for the model that it creates")
  func fromModelChanged() async {
    let parent = withDependencies {
      $0.greeter = Greeter { "parent's \($0)" }
      $0.database = "parent's"
    } operation: {
      Grandparent()
    }
    let child = withDependencies(from: parent) {
      $0.database = "child's"
    } operation: {
      Model()
    }
    let asyncChild = await withDependencies(from: parent) {
      $0.database = "child's"
    } operation: {
      await Task.yield()
      return Model()
    }
    #expect([child.greeting, child.source] == ["parent's model", "child's"])
    #expect([asyncChild.greeting, asyncChild.source] == ["parent's model", "child's"])
  }

  @Test("of a model from several nested scopes are those of all, the innermost first")
  func nestedScopes() {
    let (parent, grandparent) = withDependencies {
      $0.greeter = Greeter { "outer \($0)" }
      $0.database = "outer"
    } operation: {
      let grandparent = withDependencies(from: Grandparent()) {
        withDependencies {
          $0.greeter = Greeter { "inner \($0)" }
        } operation: {
          Grandparent()
        }
      }
      let parent = withDependencies {
        $0.database = "middle"
      } operation: {
        withDependencies {
          $0.greeter = Greeter { "inner \($0)" }
        } operation: {
          Parent()
        }
      }
      return (parent, grandparent)
    }
    let (child, grandchild) = (parent.child(), grandparent.child())
    #expect([child.greeting, child.source] == ["inner model", "middle"])
    #expect([grandchild.greeting, grandchild.source] == ["inner model", "outer"])
  }

  @Test("of a model without dependencies are reported")
  func fromNothing() {
    let parent = Parent()
    withKnownIssue {
      _ = parent.child()
    } matching: {
      $0.comments.description.contains("\"Parent\" has no dependencies to take over")
    }
  }

  @Test("of a released object do not apply to another one at its address")
  func forgotten() {
    for _ in 0..<500 {
      withDependencies {
        $0.database = "old"
      } operation: {
        Parent()
      }
      let stranger = Parent()
      #expect(DependencyObjects.shared.values(of: stranger) == nil)
    }
  }
}

@Suite("Prepared dependencies")
struct PrepareDependenciesTests {
  @Test("are the defaults from then on, also in the test's other tasks")
  func prepares() async {
    let result = prepareDependencies {
      $0.downloader.download = { "prepared" }
      return 1
    }
    #expect(result == 1)
    @Dependency(\.downloader) var downloader
    #expect(downloader.download() == "prepared")
    let seen = await Task { DependencyValues._current.downloader.download() }.value
    #expect(seen == "prepared")
  }

  @Test("are independent of those of another test")
  func apart() {
    prepareDependencies { $0.database = "another" }
    @Dependency(\.database) var database
    #expect(database == "another")
  }

  @Test("keep the value that was used before, with a report")
  func late() {
    @Dependency(\.database) var database
    #expect(database == "test database")
    withKnownIssue {
      prepareDependencies { $0.database = "late" }
    } matching: {
      $0.comments.description.contains("1 of 1 dependencies had been used or prepared before")
    }
    #expect(database == "test database")
  }

  @Test("may be prepared again in a preview, also after their use")
  func preview() {
    withDependencies {
      $0.context = .preview
    } operation: {
      @Dependency(\.database) var database
      _ = database
      for name in ["first", "second"] {
        prepareDependencies { $0.database = name }
        #expect(database == name)
      }
    }
  }

  @Test("have no context, with a report")
  func context() {
    withKnownIssue {
      prepareDependencies { $0.context = .live }
    } matching: {
      $0.comments.description.contains("The context can't be prepared")
    }
  }

  @Test("yield to a scope")
  func overridden() {
    prepareDependencies { $0.database = "prepared" }
    withDependencies {
      $0.database = "scope"
    } operation: {
      @Dependency(\.database) var database
      #expect(database == "scope")
    }
  }
}
