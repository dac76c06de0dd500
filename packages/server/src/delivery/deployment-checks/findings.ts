import type { DeploymentCheck, DeploymentCheckCode, DeploymentCheckFinding, UncheckedPart } from '@sluice/contract'
import { referencesIn } from '@sluice/expressions'
import { present } from '../../platform/present.ts'
import type { Fact } from './facts.ts'

type CheckedInput = NonNullable<DeploymentCheckFinding['inputs']>[number]

export type Finding = Omit<DeploymentCheckFinding, 'inputs'>

/** Results of one or more checks, with the parts that could not be checked. */
export type CheckResult = { findings: Finding[]; unchecked: UncheckedPart[] }

export const passed: CheckResult = { findings: [], unchecked: [] }

export const resultWithFindings = (...findings: Finding[]): CheckResult => ({ findings, unchecked: [] })

export const combined = (results: readonly CheckResult[]): CheckResult => ({
  findings: results.flatMap(({ findings }) => findings),
  unchecked: results.flatMap(({ unchecked }) => unchecked),
})

/** Checks a fact. A fact that could not be read is reported as unchecked. `subject` is what the check is about. */
export function checkFact<T>(
  { code, subject, path }: { code: DeploymentCheckCode; subject: string; path?: string | undefined },
  fact: Fact<T>,
  check: (value: T) => Finding[],
): CheckResult {
  if ('value' in fact) return resultWithFindings(...check(fact.value))
  const { reason, remedy } = fact.unread
  return {
    findings: [],
    unchecked: [present({ code, message: `Could not check ${subject}: ${reason}`, remedy, path })],
  }
}

const severities = ['ERROR', 'WARNING', 'INFO'] as const

export const mostSevereFirst = <F extends Finding>(findings: readonly F[]): F[] =>
  findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))

type Parts = Pick<DeploymentCheck, 'gates' | 'queue'> & CheckResult

/** Returns the expected outcome of the deployment. */
export function outcomeOf({ findings, unchecked, gates, queue }: Parts): DeploymentCheck['outcome'] {
  const isRejected = gates.some(({ effect }) => effect === 'REJECT')
  if (isRejected || findings.some(({ severity }) => severity === 'ERROR')) return 'WILL_FAIL'
  if (gates.length > 0 || queue.length > 0) return 'WILL_WAIT'
  return unchecked.length > 0 ? 'UNKNOWN' : 'CAN_SUCCEED'
}

/** Adds the inputs that produced the value at the path of a finding, by the templates of the deploy block. */
export function withInputs(finding: Finding, deploy: unknown): DeploymentCheckFinding {
  const inputs = finding.path === undefined ? [] : inputsOf(templateAt(deploy, finding.path))
  return inputs.length > 0 ? { ...finding, inputs } : finding
}

/** Returns the template at a path, or the one that renders a larger part around it. */
function templateAt(deploy: unknown, path: string): unknown {
  let at = deploy
  for (const name of path.replace(/^deploy\.?/, '').split(/[.[\]]+/)) {
    if (name === '' || typeof at === 'string') continue
    at = (at as Record<string, unknown> | null | undefined)?.[name]
  }
  return at
}

const owners: Record<string, CheckedInput['of']> = { deploy: 'DEPLOYMENT', module: 'MODULE_INSTANCE' }

function inputsOf(template: unknown): CheckedInput[] {
  const named = referencesIn(template).flatMap(([root = '', part, name]): CheckedInput[] => {
    const of = owners[root]
    return of && part === 'input' && name !== undefined ? [{ of, name }] : []
  })
  return [...new Map(named.map((input) => [`${input.of} ${input.name}`, input])).values()]
}
