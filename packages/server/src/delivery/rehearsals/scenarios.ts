import { type ComposedScenario, type DeploymentType, type RehearsalFault, rehearsalScenarios } from '@sluice/contract'
import { faultsDuringRelease, scenariosOfType } from '@sluice/contract/rehearsal-scenarios'
import { ApiError } from '../../platform/http/api-error.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import type { RequestedScenario } from './job.ts'
import type { RehearsalRow } from './tables.ts'

/**
 * Returns the scenarios to rehearse: the requested ones, or all that apply to the deployment type.
 * @throws {ApiError} if a name is used twice, a fault cannot occur as requested, or one does not apply to the type
 */
export function applicableScenarios(type: DeploymentType, requested?: RequestedScenario[]): RequestedScenario[] {
  const applicable: readonly string[] = scenariosOfType[type]
  if (!requested) return [...scenariosOfType[type]]
  const problems = [...repeatedNames(requested), ...requested.flatMap(problemsOf)]
  if (problems.length > 0) throw bodyInvalid(problems)
  const used = requested.flatMap((one) => (typeof one === 'string' ? one : one.faults.map((fault) => fault.type)))
  const others = [...new Set(used)].filter((name) => !applicable.includes(name))
  if (others.length === 0) return requested
  const message = `Cannot rehearse a release of type ${type} in the scenario ${others.join(', ')}. Choose from: ${applicable.join(', ')}.`
  throw new ApiError('rehearsalNotSupported', message)
}

const nameOf = (scenario: RequestedScenario): string => (typeof scenario === 'string' ? scenario : scenario.name)

function repeatedNames(requested: readonly RequestedScenario[]): string[] {
  const names = requested.map(nameOf)
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? `$.data.scenarios[${index}]: the name ${name} is used twice` : [],
  )
}

/** Returns why a composed scenario cannot be rehearsed. */
function problemsOf(scenario: RequestedScenario, index: number): string[] {
  if (typeof scenario === 'string') return []
  const place = `$.data.scenarios[${index}]`
  const isPredefined = (rehearsalScenarios as readonly string[]).includes(scenario.name)
  const name = isPredefined ? [`${place}.name: ${scenario.name} is the name of a predefined scenario`] : []
  return [...name, ...scenario.faults.flatMap((fault, at) => faultProblems(scenario, fault, `${place}.faults[${at}]`))]
}

function faultProblems({ faults }: ComposedScenario, fault: RehearsalFault, place: string): string[] {
  const { type, trafficPercent, afterSeconds } = fault
  const isRepeated = faults.find((one) => one.type === type) !== fault
  const hasMoment = trafficPercent !== undefined || afterSeconds !== undefined
  return [
    ...(isRepeated ? [`${place}.type: ${type} is used twice`] : []),
    ...(hasMoment && !faultsDuringRelease.includes(type)
      ? [
          `${place}: ${type} lasts from the start of the release. Remove trafficPercent and afterSeconds, or choose from: ${faultsDuringRelease.join(', ')}`,
        ]
      : []),
  ]
}

/** Returns the columns that store requested scenarios. */
export const scenarioColumns = (scenarios: readonly RequestedScenario[]) => ({
  scenarioNames: scenarios.map(nameOf),
  composedScenarios: scenarios.filter((one) => typeof one !== 'string'),
})

/** Returns the requested scenarios of a stored rehearsal. */
export const requestedScenarios = ({
  scenarioNames,
  composedScenarios,
}: Pick<RehearsalRow, 'scenarioNames' | 'composedScenarios'>): RequestedScenario[] =>
  scenarioNames.map(
    (name) => composedScenarios.find((one) => one.name === name) ?? (name as Exclude<RequestedScenario, object>),
  )
