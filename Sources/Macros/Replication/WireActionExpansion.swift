import SwiftSyntax
import SwiftSyntaxBuilder

/// The wire form of an action's cases: all except those marked `@ReplicationIgnored`.
///
/// The code is direct: it writes by one switch, and reads by comparing one name after another. The
/// other cases of a `DurableAction` are written where the encoder is durable, and read only where
/// the decoder is.
struct WireActionExpansion {
  /// The form of an enum's cases.
  enum Kind {
    /// The cases that a client may send.
    case wire
    /// These, and in the durable form also the others.
    case durable
    /// The cases have a durable form only: those of a `ReducerAction`.
    case durableOnly
  }

  let nodes: [CaseNode]
  let kind: Kind
  /// The prefix of each member: `public `, `package `, or empty.
  let access: String
  /// The type's name in schemas.
  let schemaName: String
  /// The places of the cases in the source.
  let source: SourceLines
  /// The cases that a `ReducerAction` declares, and checks at their places in the source.
  var casesOfReducerAction: Set<String> = []

  /// The members that `WireAction` requires.
  var declarations: [DeclSyntax] {
    ["\(raw: schema)", "\(raw: encoding)", "\(raw: decoding)"]
  }

  /// The form that the declaration needs: it names `WireAction` or `DurableAction`, and does not
  /// implement it; otherwise nil.
  static func kind(of declaration: EnumDeclSyntax) -> Kind? {
    let isDurable = declaration.inherits("DurableAction")
    guard isDurable || declaration.inherits("WireAction"),
      !DeclaredNames(declaration.memberBlock.members).hasSchema
    else { return nil }
    guard isDurable else { return .wire }
    return declaration.name.plainText == "ReducerAction" ? .durableOnly : .durable
  }

  private func isSent(_ element: EnumCase) -> Bool { kind != .durableOnly && element.isSent }

  /// Whether the case is not sent, and has a durable form.
  private func isOnlyStored(_ element: EnumCase) -> Bool {
    kind != .wire && !isSent(element) && element.isStored
  }
}

extension WireActionExpansion {
  private var schema: String {
    let lines = nodes.text { element in
      guard isSent(element) else {
        guard isOnlyStored(element), !element.parameters.isEmpty,
          !casesOfReducerAction.contains(element.name)
        else { return nil }
        let line = "\(module)_$ActionSchema.keep(Self.\(element.identifier), in: &registry)"
        return source.place(line, at: element.element.name).joined(separator: "\n")
      }
      guard !element.parameters.isEmpty else { return "schema.add(\"\(element.name)\")" }
      let labels = element.wireLabels.map { "\"\($0)\"" }.joined(separator: ", ")
      let constructor = "Self.\(element.identifier)"
      let line = "schema.add(\"\(element.name)\", [\(labels)], \(constructor), in: &registry)"
      return source.place(line, at: element.element.name).joined(separator: "\n")
    }
    let others =
      casesOfReducerAction.isEmpty
      ? "" : "if registry._$isDurable {\n_ = ReducerAction.schema(in: &registry)\n}\n"
    let body =
      nodes.cases.contains(where: isSent)
      ? "var schema = \(module)_$ActionSchema()\n\(lines)\n\(others)return .choice(schema.cases)"
      : "\(lines)\n\(others)return .choice([])"
    return """
      \(access)nonisolated static func schema(
      in registry: inout \(module)SchemaRegistry
      ) -> \(module)Schema {
      registry.define(Self.self, name: "\(schemaName)") { registry in
      \(body)
      }
      }
      """
  }

  private var encoding: String {
    // The compiler rejects a switch over values that cannot exist because of their payloads.
    let isSwitch = nodes.cases.contains(where: \.parameters.isEmpty) || nodes.isEmpty
    let cases = nodes.text { element in
      let names = isSent(element) || isOnlyStored(element) ? element.partNames : []
      let pattern = element.pattern(binding: names)
      return isSwitch
        ? "case \(pattern):\n\(writing(element))"
        : "if case \(pattern) = self {\n\(writing(element))\n}"
    }
    return """
      \(access)nonisolated func encode(
      to encoder: inout \(module)CBOREncoder
      ) throws(\(module)CodecError) {
      \(isSwitch ? "switch self {\n\(cases)\n}" : cases)
      }
      """
  }

  private func writing(_ element: EnumCase) -> String {
    let refusal =
      "throw \(module)CodecError._$privateAction(\"\(element.name)\", of: \"\(schemaName)\")"
    if isOnlyStored(element) {
      return "guard encoder._$isDurable else {\n\(refusal)\n}\n\(writingStored(element))"
    }
    return isSent(element) ? writingStored(element) : refusal
  }

  private func writingStored(_ element: EnumCase) -> String {
    guard !element.parameters.isEmpty else { return "encoder.encode(name: \"\(element.name)\")" }
    let labels = element.wireLabels
    let parts = element.canonicalOrder.map { place in
      "try encoder._$part(v\(place), \"\(labels[place])\", of: \"\(element.name)\")"
    }
    return """
      encoder._$payload(of: "\(element.name)", \(labels.count))
      \(parts.joined(separator: "\n"))
      """
  }

  private var decoding: String {
    let cases = nodes.text { element in
      let isOnlyStored = isOnlyStored(element)
      guard isOnlyStored || isSent(element) else { return nil }
      let former = element.formerName.map { ", formerly: \"\($0)\"" } ?? ""
      let hasPayload = !element.parameters.isEmpty
      let form = isOnlyStored ? "decoder._$isDurable, " : ""
      let arguments = "\"\(element.name)\"\(former), hasPayload: \(hasPayload)"
      return """
        if \(form)try action.finds(\(arguments), &decoder) {
        \(hasPayload ? reading(element) : "self = .\(element.identifier)\nreturn")
        }
        """
    }
    let names = nodes.text { element in
      if isSent(element) { return "names.append(\"\(element.name)\")" }
      guard isOnlyStored(element) else { return nil }
      return "if decoder._$isDurable {\nnames.append(\"\(element.name)\")\n}"
    }
    let count = nodes.cases.count { isSent($0) || isOnlyStored($0) }
    let list =
      names.isEmpty
      ? "let names: [Swift.String] = []"
      : "var names: [Swift.String] = []\nnames.reserveCapacity(\(count))\n\(names)"
    return """
      \(access)nonisolated init(
      from decoder: inout \(module)CBORDecoder
      ) throws(\(module)CodecError) {
      let action = try \(module)_$ChoiceReader(&decoder, of: "action")
      \(cases)
      \(list)
      throw action.unknown(names, &decoder)
      }
      """
  }

  private func reading(_ element: EnumCase) -> String {
    let isCanonical = element.canonicalOrder == Array(element.parameters.indices)
    let lines =
      element.parameters.count == 1
      ? only(element)
      : """
      \(isCanonical ? ordered(element) : shuffled(element))
      self = \(element.expression(of: element.partNames))
      """
    return """
      do throws(\(module)CodecError) {
      \(lines)
      return
      } catch {
      throw error.inside(.name("\(element.name)"))
      }
      """
  }

  /// Reads the only part in one call, because a part that cannot exist would cause a
  /// compiler warning.
  private func only(_ element: EnumCase) -> String {
    let constructor = "Self.\(element.identifier)"
    return """
      var parts = try \(module)_$FieldReader(&decoder)
      self = try parts._$only("\(element.wireLabels[0])", &decoder, \(constructor))
      """
  }

  /// Reads parts whose order on the wire is that of their declaration.
  private func ordered(_ element: EnumCase) -> String {
    let labels = element.wireLabels.map { "\"\($0)\"" }
    let names = "\(module)_$FieldReader.Names([\(labels.joined(separator: ", "))])"
    let parts = zip(element.parameters, labels).enumerated().map { place, part in
      "let v\(place): \(part.0.type) = try parts._$part(\(part.1), \(names), &decoder)"
    }
    return """
      var parts = try \(module)_$FieldReader(&decoder)
      \(parts.joined(separator: "\n"))
      try parts.finish(\(names), &decoder)
      """
  }

  /// Reads parts with another order on the wire: finds all, then reads them in the declared order.
  private func shuffled(_ element: EnumCase) -> String {
    let labels = element.wireLabels.map { "\"\($0)\"" }
    let order = element.canonicalOrder.map(String.init).joined(separator: ", ")
    let list = labels.joined(separator: ", ")
    let parts = zip(element.parameters, labels).enumerated().map { place, part in
      "let v\(place): \(part.0.type) = try parts._$part(\(place), of: \(part.1))"
    }
    return """
      var parts = try \(module)_$ShuffledReader([\(list)], order: [\(order)], &decoder)
      \(parts.joined(separator: "\n"))
      """
  }
}

extension EnumCase {
  /// Whether a client may send the case.
  fileprivate var isSent: Bool {
    declaration.attributes.attribute(named: "ReplicationIgnored") == nil && !isUnavailable
  }

  /// Whether a daemon stores the case, if effects send it.
  fileprivate var isStored: Bool {
    declaration.attributes.attribute(named: "DurableIgnored") == nil && !isUnavailable
  }

  fileprivate var formerName: String? {
    declaration.attributes.attribute(named: "Replicated")?.text(labelled: "formerly")
  }

  /// The names of the parts: their labels, or their indices.
  fileprivate var wireLabels: [String] {
    parameters.enumerated().map { $1.label?.filter { $0 != "`" } ?? "_\($0)" }
  }

  /// The indices of the parts in the order of their labels' encodings.
  fileprivate var canonicalOrder: [Int] { StateNameDigest.canonicalOrder(of: wireLabels) }
}
