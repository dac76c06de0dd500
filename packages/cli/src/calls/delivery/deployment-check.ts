import { removeControlCharacters } from '@sluice/calls/control-characters'
import type { Client } from '@sluice/client'
import type { CreateDeployment, DeploymentCheck, DeploymentCheckFinding } from '@sluice/contract'
import { isComplete, type OutputOption } from '../output.ts'
import { printAnswer } from '../print.ts'
import { linesOfDifferences } from './diff.ts'

/** Prints whether a release would succeed, without creating a deployment. Exits with code 1 if it would fail. */
export async function checkDeployment(client: Client, data: CreateDeployment, { output }: OutputOption): Promise<void> {
  const answer = await client.createDeploymentCheck({ body: { data } })
  const { data: check } = answer
  if (output)
    printAnswer(isComplete({ output }) ? answer : check, { output }, ({ moduleInstanceId }) => moduleInstanceId)
  else process.stdout.write(`${removeControlCharacters(linesOf(check).join('\n'))}\n`)
  if (check.outcome === 'WILL_FAIL') process.exitCode = 1
}

const outcomes: Record<DeploymentCheck['outcome'], string> = {
  CAN_SUCCEED: 'Every check passed.',
  WILL_WAIT: 'The deployment would wait.',
  WILL_FAIL: 'The deployment would fail.',
  UNKNOWN: 'Nothing blocks the deployment, but some checks could not be made.',
}

function linesOf({ outcome, findings, unchecked, gates, queue, differences }: DeploymentCheck): string[] {
  return [
    `${outcome}: ${outcomes[outcome]}`,
    ...findings.flatMap(findingLines),
    ...unchecked.flatMap(({ code, message, remedy }) => [`UNCHECKED ${code}: ${message}`, ...indented(remedy)]),
    ...gates.flatMap(({ gate, effect, message, liftedBy }) => [
      `GATE ${gate} ${effect}: ${message}`,
      ...indented(liftedBy),
    ]),
    ...queue.map(({ deploymentId, status, description }) => `QUEUED BEFORE ${deploymentId} ${status}: ${description}`),
    `Differences to ${differences.againstDeploymentId ?? 'an earlier release, of which there is none'}:`,
    ...linesOfDifferences(differences),
  ]
}

function findingLines({ severity, code, message, remedy, path, inputs = [] }: DeploymentCheckFinding): string[] {
  const owners = { DEPLOYMENT: 'deployment', MODULE_INSTANCE: 'module instance' }
  const names = inputs.map(({ of, name }) => `input ${name} of the ${owners[of]}`).join(', ')
  const place = path === undefined ? undefined : `at ${path}${names === '' ? '' : `, from ${names}`}`
  return [`${severity} ${code}: ${message}`, ...indented(place), ...indented(remedy)]
}

const indented = (line: string | undefined): string[] => (line ? [`  ${line}`] : [])
