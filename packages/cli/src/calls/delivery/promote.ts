import { removeControlCharacters } from '@sluice/calls/control-characters'
import { findEnvironment, findProject } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import type { PromotionCandidate, Service } from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import { isComplete } from '../output.ts'
import { printAnswer, printList } from '../print.ts'
import { type FollowArguments, followOrPrint } from './follow.ts'
import { watchDeployment } from './watch.ts'

type Wishes = UrlOption & FollowArguments & { list?: string; to?: string; dryRun?: true; override?: string }

/** Promotes a deployment's release to a later environment, or prints what would happen. */
export async function promote(
  id: string | undefined,
  { list, to, dryRun, override, ...wishes }: Wishes,
): Promise<void> {
  const client = connect(wishes)
  if (list !== undefined) return listPromotionCandidates(client, list, wishes)
  if (id === undefined) throw new UsageError('Name a deployment, or a project with --list.')
  const step = await stepTo(client, id, to)
  if (dryRun) {
    show(step, wishes)
    return
  }
  const { moduleInstanceId, environmentId } = step
  const data = { moduleInstanceId, ...(override !== undefined && { override: { reason: override } }) }
  const { data: accepted } = await client.promoteDeployment({ params: { id }, body: { data } })
  await followOrPrint(client, accepted, `releases in ${environmentId} what ${id} released`, wishes, watchDeployment)
}

/** Prints what is running in each environment of a project, and whether it can be promoted. */
async function listPromotionCandidates(client: Client, project: string, wishes: Wishes): Promise<void> {
  const { id: projectId } = await findProject(client, project)
  const { data: environments } = await client.listEnvironments({ query: { projectId, limit: 100 } })
  const nameOf = (environmentId: string) =>
    environments.find(({ id }) => id === environmentId)?.givenId ?? environmentId
  const answer = await client.listServices({ query: { projectId, limit: 100, include: ['promotionCandidates'] } })
  const promotionCandidates = answer.included?.promotionCandidates ?? {}
  const rows = answer.data.flatMap(({ givenId, places }) =>
    (promotionCandidates[givenId] ?? []).map(
      ({ fromEnvironmentId, environmentId, deploymentId, blocker, until, message }) => ({
        service: givenId,
        from: nameOf(fromEnvironmentId),
        runs: versionIn(places, fromEnvironmentId),
        to: nameOf(environmentId),
        state: stateOf(blocker),
        until,
        deploymentId,
        message,
      }),
    ),
  )
  const columns = ['service', 'from', 'runs', 'to', 'state', 'until', 'deploymentId', 'message']
  const none = 'Nothing runs there that could go on to a later environment.'
  printList(rows, wishes, { whole: answer, columns, none, nameOf: ({ deploymentId }) => deploymentId })
}

const versionIn = (places: Service['places'], environmentId: string) =>
  places.find((place) => place.environmentId === environmentId)?.running?.version

/** Returns READY for a promotion that a user must start, and the automatic state for one without blockers. */
const stateOf = (blocker: PromotionCandidate['blocker']): string =>
  blocker === 'MANUAL' ? 'READY' : (blocker ?? 'GOES_BY_ITSELF')

/** Returns the promotion candidate for an environment, by default the next one of the project. */
async function stepTo(client: Client, id: string, to: string | undefined): Promise<PromotionCandidate> {
  const { included } = await client.getDeployment({ params: { id }, query: { include: ['promotion'] } })
  const promotionCandidates = included?.promotion?.promotionCandidates ?? []
  const environmentId =
    to === undefined ? promotionCandidates[0]?.environmentId : (await findEnvironment(client, to)).id
  const step = promotionCandidates.find((one) => one.environmentId === environmentId)
  if (step) return step
  const where = to === undefined ? 'any later environment' : to
  throw new Error(`There is no instance of the same module and givenId in ${where} that ${id} could be promoted to.`)
}

function show(step: PromotionCandidate, { output }: Wishes): void {
  if (output) {
    printAnswer(isComplete({ output }) ? { data: step } : step, { output }, ({ moduleInstanceId }) => moduleInstanceId)
    return
  }
  const value = (of: unknown) => (of === undefined ? 'not set' : JSON.stringify(of))
  const lines = [
    `It would go to ${step.moduleInstanceId} in ${step.environmentId}.`,
    ...(step.message === undefined ? [] : [`${step.promotionRuleId}: ${step.message}`]),
    ...(step.canPromoteManually
      ? []
      : ['The rule does not allow a manual promotion yet, unless --override gives a reason.']),
    ...step.images.map(({ image, warning }) => (warning === undefined ? image : `${image}: ${warning}`)),
    ...step.gates.map(({ kind, message }) => `${kind}: ${message}`),
    ...step.inputs.map(({ name, from, to }) => `  ${name}: ${value(from)} here, ${value(to)} there`),
  ]
  process.stdout.write(`${lines.map(removeControlCharacters).join('\n')}\n`)
}
