import { removeControlCharacters } from '@sluice/calls/control-characters'
import { explain } from '@sluice/calls/explain'
import { lineOf, pendingDecision } from '@sluice/calls/follow'
import type { Client } from '@sluice/client'
import type {
  ApprovalRequirement,
  Decision,
  Deployment,
  DeploymentApproval,
  PauseForecast,
  PipelineStepExecution,
  RecordDescription,
  ReleaseNotes,
  UserFacingError,
} from '@sluice/contract'
import { previousMarksOf, releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { isStepOver, meaningOfStep, pendingPause } from '@sluice/contract/states'
import { connect, serviceAt, type UrlOption } from './connect.ts'
import { consolePageOf } from './console-page.ts'
import { describeVersionApproval } from './delivery/track.ts'
import type { OutputOption } from './output.ts'
import { planLines } from './plan-lines.ts'
import { printAnswer } from './print.ts'
import { findRecord } from './record-called.ts'

/** Prints the record of an id or ARN, as a summary or in full. */
export async function describe(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const record = await findRecord(client, id)
  if (wishes.output !== undefined) return printAnswer(record, wishes)
  const [about, page] = await Promise.all([aboutOf(client, record), consolePageOf(client, record)])
  const { name, type, status, owner, arn, createdAt, links } = record
  const facts = { type, id: record.id, status, by: owner, arn, created: createdAt, ...about.facts }
  const lines = [
    name,
    ...factLines(facts),
    ...section('Why', about.why),
    ...section('Steps', about.steps),
    ...section('Events', about.events),
    ...section('Decided', about.decided),
    ...section('Since what ran before', about.brings),
    ...section('Releases', about.releases),
    ...section('Belongs to it', [
      ...factLines(Object.fromEntries(links.map(({ relation, id, path }) => [relation, id ?? path]))),
    ]),
    '',
    `Console: ${serviceAt(wishes)}/console/${page}`,
  ]
  process.stdout.write(`${removeControlCharacters(lines.join('\n'))}\n`)
}

type Facts = Record<string, string | undefined>

/** Type-specific details of a record. */
type About = {
  facts?: Facts
  /** What it waits for and who can change that, or why it failed. */
  why?: string[]
  steps?: string[]
  events?: string[]
  decided?: string[]
  /** Changes since the previous release. */
  brings?: string[]
  releases?: string[]
}

function factLines(facts: Facts): string[] {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '')
  const width = Math.max(0, ...known.map(([name]) => name.length))
  return known.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
}

function section(title: string, lines: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => (line.startsWith('  ') ? line : `  ${line}`))]
}

function aboutOf(client: Client, { type, id }: RecordDescription): Promise<About> {
  if (type === 'deployments') return aboutDeployment(client, id)
  if (type === 'pipeline-runs') return aboutRun(client, id)
  if (type === 'pipeline-step-executions') return aboutStep(client, id)
  return type === 'module-instances' ? aboutInstance(client, id) : Promise.resolve({})
}

/** Number of latest events to print. */
const lastEvents = 12

async function aboutDeployment(client: Client, id: string): Promise<About> {
  const include = [
    'analysis' as const,
    'approval' as const,
    'decisions' as const,
    'notes' as const,
    'forecast' as const,
  ]
  const { data: now, included } = await client.getDeployment({ params: { id }, query: { include } })
  const { data } = now
  const [version, previous] = [versionOf(releaseMarksOf(data)), versionOf(previousMarksOf(data))]
  return {
    facts: {
      ...(pendingPause(now) && { status: `${now.status}, paused` }),
      version: version && previous ? `${version} after ${previous}` : version,
      to: now.resourceName,
      ...(included?.notes && commitFacts(included.notes)),
      strategy: data?.strategy,
      started: now.startedAt,
      ended: now.completedAt,
    },
    why: [
      ...waitLines(now),
      ...(included?.forecast?.pauses ?? []).map(pauseLine),
      ...approvalLines(included?.approval),
      ...approvalLine(pendingDecision(now, included)),
      ...errorLines(now.error),
    ],
    events: (data?.events ?? []).slice(-lastEvents).map(lineOf),
    decided: (included?.decisions ?? []).map(decisionLine),
    brings: included?.notes ? noteLines(included.notes) : [],
  }
}

const commitFacts = ({ commit, author }: ReleaseNotes): Facts => ({
  commit: commit && `${commit.slice(0, shownOfCommit)}${author === undefined ? '' : ` by ${author}`}`,
})

/** Number of characters that identify a commit. */
const shownOfCommit = 12
/** Maximum number of commits to print. */
const maxCommits = 20

function noteLines({ commit, commits, pullRequests, isComplete, reason }: ReleaseNotes): string[] {
  if (commit === undefined) return []
  if (reason !== undefined) return [reason]
  const more = commits.length > maxCommits || !isComplete
  return [
    ...pullRequests.map(({ number, title, authorName, url }) => `#${number} ${title}${byWhom(authorName)}  ${url}`),
    ...commits.slice(0, maxCommits).map(({ id, message, authorName }) => {
      const [title = ''] = message.trim().split('\n')
      return `${id.slice(0, shownOfCommit)} ${title}${byWhom(authorName)}`
    }),
    ...(more ? ['There are more.'] : []),
  ]
}

const byWhom = (name: string | undefined): string => (name === undefined ? '' : `, by ${name}`)

/** Returns the reason why a deployment has not started: the message of its last event. */
function waitLines({ status, data }: Deployment): string[] {
  const last = data?.events?.at(-1)
  return status === 'PENDING' && last?.stepCode === 'QUEUED' && last.message !== undefined ? [last.message] : []
}

function pauseLine({
  nextStepCode,
  fromPercent,
  toPercent,
  expiresAt,
  timeoutAction,
  checksContinueAt,
}: PauseForecast) {
  const shift =
    fromPercent !== undefined && toPercent !== undefined && ` (${fromPercent} % → ${toPercent} % of traffic)`
  const parts = [
    `It is paused${nextStepCode ? ` before ${nextStepCode}${shift || ''}` : ''}.`,
    checksContinueAt && `Checks have it go on at ${checksContinueAt} at the soonest.`,
    expiresAt && timeoutAction && `Without a decision until ${expiresAt}: ${timeoutAction}.`,
  ]
  return parts.filter(Boolean).join(' ')
}

const approvalLine = (asks: string | undefined): string[] => (asks === undefined ? [] : [`It ${asks}`])

const errorLines = (error: UserFacingError | undefined): string[] => (error ? explain(error).split('\n') : [])

/** Returns the required approvers, and whether the caller is one. */
function approvalLines(
  approval: Pick<DeploymentApproval, 'isPending' | 'requirements' | 'caller'> | undefined,
): string[] {
  if (!approval?.isPending) return []
  const { canDecide, hasApproved, reason = '' } = approval.caller
  const you = hasApproved ? 'You have approved it.' : canDecide ? 'You may approve it.' : reason
  return [...approval.requirements.filter(({ isMet }) => !isMet).map(demandLine), you]
}

const demandLine = ({ name, given, requiredApprovals, teams, reason, expiresAt }: ApprovalRequirement): string => {
  const who = teams.map((team) => team.name).join(' or ') || 'anybody who may approve there'
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`
  return `${name}: ${given} of ${requiredApprovals} approvals, of ${who}${until}.${reason === undefined ? '' : ` ${reason}`}`
}

const decisionLine = ({ createdAt, kind, actor, reason }: Decision): string =>
  `${createdAt} ${kind} by ${actor.name}${reason === undefined ? '' : `: ${reason}`}`

/** Maximum number of steps to print. */
const maxSteps = 100

async function aboutRun(client: Client, id: string): Promise<About> {
  const query = { include: ['decisions' as const] }
  const [{ data: run, included }, { data: steps }] = await Promise.all([
    client.getPipelineRun({ params: { id }, query }),
    client.listPipelineStepExecutions({ query: { pipelineRunId: id, limit: maxSteps } }),
  ])
  const asking = steps.filter(({ status }) => meaningOfStep[status] === 'asking')
  const asked = await Promise.all(asking.map((step) => aboutStep(client, step.id)))
  return {
    facts: { started: run.startedAt, ended: run.completedAt },
    why: [...asked.flatMap(({ why = [] }) => why), ...errorLines(run.error)],
    steps: steps.toReversed().map(stepLine), // lists are newest first
    decided: (included?.decisions ?? []).map(decisionLine),
  }
}

const stepLine = (step: PipelineStepExecution): string =>
  `${step.stepId}: ${step.status}${waitOf(step)}${step.error === undefined ? '' : ` ${step.error.message}`}  ${step.id}`

const waitOf = (step: PipelineStepExecution): string =>
  meaningOfStep[step.status] === 'waiting' ? ` (${whyOf(step)})` : ''

const whyOf = (step: PipelineStepExecution): string => describeVersionApproval(step) ?? step.queueReason

/** Returns the values of a program or server that the step does not contain. */
function omissionLines(detail: PipelineStepExecution['statusDetail']): string[] {
  const omitted = (detail?.omittedValues ?? []) as { path: string; reason: string }[]
  return omitted.map(({ path, reason }) => `Not stored: ${path}: ${reason}`)
}

async function aboutStep(client: Client, id: string): Promise<About> {
  const include = ['approval' as const, 'decisions' as const, 'subject' as const]
  const { data: step, included } = await client.getPipelineStepExecution({ params: { id }, query: { include } })
  const { message } = (step.statusDetail?.approval ?? {}) as { message?: string }
  const isAsking = meaningOfStep[step.status] === 'asking'
  return {
    facts: { step: step.stepId, kind: step.stepType, started: step.startedAt, ended: step.completedAt },
    why: [
      ...(isAsking ? [`${step.stepId} asks: ${message ?? 'May it go on?'}`] : []),
      ...approvalLines(included?.approval),
      ...(included?.subject?.plans ?? []).flatMap(planLines),
      ...(included?.subject?.isApprover === false ? ['It names others than you to decide.'] : []),
      ...(isAsking ? [`It waits for approval: sluice approve ${id}`] : []),
      ...(isStepOver(step.status) || isAsking || waitOf(step) === '' ? [] : [`It waits: ${whyOf(step)}.`]),
      ...errorLines(step.error),
      ...omissionLines(step.statusDetail),
    ],
    decided: (included?.decisions ?? []).map(decisionLine),
  }
}

async function aboutInstance(client: Client, id: string): Promise<About> {
  const of = { moduleInstanceId: id }
  const [{ data: instance }, { data: releases }, { data: holds }] = await Promise.all([
    client.getModuleInstance({ params: { id } }),
    client.listDeployments({ query: { ...of, limit: 5 } }),
    client.listHolds({ query: { ...of, includeLifted: false } }),
  ])
  return {
    facts: { givenId: instance.givenId, module: instance.type },
    why: [
      ...holds.map(({ id, heldBy, reason }) => `Held by ${heldBy}: ${reason} sluice hold release ${id} --reason …`),
      ...errorLines(instance.error),
    ],
    releases: releases.map((one) => {
      const version = versionOf(releaseMarksOf(one.data)) ?? ''
      return `${one.createdAt} ${one.status.padEnd(11)} ${one.id} ${version} ${waitLines(one).join(' ')}`.trimEnd()
    }),
  }
}
