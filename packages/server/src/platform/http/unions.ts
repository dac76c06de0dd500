import type { TLocalizedValidationError } from 'typebox/error'

/** Error of the schema validator, or our own error `choice`: one of several properties is required. */
export type Finding =
  | TLocalizedValidationError
  | { keyword: 'choice'; schemaPath: string; instancePath: string; params: { properties: string[] } }

/**
 * Reduces the errors of unions. For a value that matches no branch, the validator reports the errors of every branch.
 * This keeps the useful ones: the allowed types, the properties of which one is required, or the errors of the closest
 * branch.
 */
export function settleUnions(errors: readonly TLocalizedValidationError[]): Finding[] {
  let found: Finding[] = [...errors]
  // The validator reports inner unions before outer ones.
  for (const union of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const isInside = (finding: Finding) =>
      finding.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) &&
      `${finding.instancePath}/`.startsWith(`${union.instancePath}/`)
    const branches = Map.groupBy(found.filter(isInside), ({ schemaPath }) => branchOf(union, schemaPath))
    const settled = settle(union, [...branches.values()])
    found = found.flatMap((finding) => (finding === union ? settled : isInside(finding) ? [] : [finding]))
  }
  return found
}

const branchOf = ({ schemaPath }: Finding, inside: string): string =>
  inside.slice(`${schemaPath}/anyOf/`.length).split('/', 1)[0] ?? ''

function settle(union: TLocalizedValidationError, branches: Finding[][]): Finding[] {
  const isHere = ({ instancePath }: Finding) => instancePath === union.instancePath
  const kinds = branches.map((branch) => branch.find((finding) => finding.keyword === 'type' && isHere(finding)))
  const near = branches.filter((_, index) => kinds[index] === undefined)
  if (near.length === 0) {
    const type = kinds.flatMap((kind) => (kind?.keyword === 'type' ? kind.params.type : []))
    const { schemaPath, instancePath, message } = union
    return [{ keyword: 'type', schemaPath, instancePath, message, params: { type: [...new Set(type)] } }]
  }
  const missing = near.map((branch) =>
    branch.flatMap((finding) =>
      finding.keyword === 'required' && isHere(finding) ? finding.params.requiredProperties : [],
    ),
  )
  const fewestFirst = near.toSorted((a, b) => a.length - b.length)
  const complete = fewestFirst.find((branch) => missing[near.indexOf(branch)]?.length === 0)
  if (complete || near.length === 1) return complete ?? fewestFirst[0] ?? []
  const { schemaPath, instancePath } = union
  return [{ keyword: 'choice', schemaPath, instancePath, params: { properties: [...new Set(missing.flat())] } }]
}
