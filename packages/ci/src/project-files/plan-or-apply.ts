import { removeControlCharacters } from '@sluice/calls/control-characters'
import { createFollowRetry } from '@sluice/calls/follow-retry'
import { planFolder } from '@sluice/cli/project-files/read-folder'
import type { Client } from '@sluice/client'
import { applyPlan, type Planned } from '@sluice/server/interface/project-files/apply'
import { faultsMarkdown, faultsText, planMarkdown, planText } from '@sluice/server/interface/project-files/print-plan'
import { toCodeBlock, updateComment } from '../comment.ts'
import type { Host } from '../hosts.ts'
import { toMessage } from '../job.ts'
import { connect } from '../service.ts'
import { expectInside } from './inside.ts'
import type { Settings } from './settings.ts'

/** Result: the number of changes and a report in Markdown. */
type Outcome = {
  status: 'NO_CHANGES' | 'CHANGES' | 'APPLIED' | 'FAULTS'
  changes: number
  isGood: boolean
  markdown: string
}

/** Plans or applies project files and comments on the request. Returns whether it succeeded. */
export async function planOrApply(settings: Settings, host: Host, cancelled: AbortSignal): Promise<boolean> {
  cancelled.addEventListener('abort', () => stop(host))
  if (host.isFromFork) {
    host.show('The request comes from a fork, whose files are not read: plan them from a branch of the repository.')
    return false
  }
  try {
    const { status, changes, isGood, markdown } = await outcomeOf(settings, host)
    host.output({ status, changes: String(changes) })
    await tell(settings, host, { status, markdown })
    return isGood
  } catch (error) {
    await tell(settings, host, { status: 'FAILED', markdown: toCodeBlock(toMessage(error)) })
    throw error
  }
}

/** Exits a cancelled job. This is safe, because the next apply continues with what already exists. */
function stop(host: Host): never {
  host.show('The job was cancelled. What an apply has left is done by the next one.')
  process.exit(1)
}

async function outcomeOf(settings: Settings, host: Host): Promise<Outcome> {
  const { folder, project, prunes: prune, mode } = settings
  await expectInside(process.cwd(), folder)
  const client = connect(settings, host)
  const made = await planFolder(client, folder, { prune, env: variables(), ...(project !== '' && { project }) })
  if ('faults' in made) {
    const { faults } = made
    host.show(faultsText(faults).trimEnd())
    return { status: 'FAULTS', changes: 0, isGood: false, markdown: faultsMarkdown(faults) }
  }
  const { plan } = made
  const changes = plan.changes.length
  host.show(planText(plan).trimEnd())
  const markdown = planMarkdown(plan)
  if (mode === 'apply') {
    await apply(client, made, { settings, host })
    return { status: 'APPLIED', changes, isGood: true, markdown }
  }
  const status = changes === 0 ? 'NO_CHANGES' : 'CHANGES'
  return { status, changes, isGood: mode === 'plan' || changes === 0, markdown }
}

async function apply(client: Client, made: Planned, { settings, host }: { settings: Settings; host: Host }) {
  const { runsStacks: runStacks, url } = settings
  const say = (line: string) => host.show(removeControlCharacters(line))
  const patience = createFollowRetry(say)
  await applyPlan(made, client, {
    runStacks,
    url,
    say,
    warn: say,
    patience,
    ...(host.commit && { source: host.commit }),
  })
}

/** Returns the variables that files can use, without those for signing in and commenting. */
const variables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(INPUT|ACTIONS|SLUICE)_/i.test(name)))

type Result = { status: Outcome['status'] | 'FAILED'; markdown: string }

const words = {
  NO_CHANGES: 'are in force',
  CHANGES: 'differ from the current records',
  APPLIED: 'are applied',
  FAULTS: 'have errors',
  FAILED: 'could not be planned or applied',
} as const satisfies Record<Result['status'], string>

async function tell(settings: Settings, host: Host, { status, markdown }: Result): Promise<void> {
  const { folder, project, comments } = settings
  const of = project === '' ? '' : ` for ${inCode(project)}`
  const at = host.commit === undefined ? '' : ` at ${host.commit.commit.slice(0, 10)}`
  const text = `**Sluice**: the files in ${inCode(folder)}${of}${at} ${words[status]}.\n\n${markdown}`
  host.summarize(text)
  if (comments) await updateComment(host, ['files', folder, project].join(' ').trimEnd(), text)
}

const inCode = (text: string): string => `\`${text.replaceAll('`', "'")}\``
