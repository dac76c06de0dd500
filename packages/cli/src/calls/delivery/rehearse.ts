import { setTimeout as sleep } from 'node:timers/promises'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { findModuleInstance } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import type {
  ComposedScenario,
  Rehearsal,
  RehearsalEntry,
  RehearsalFault,
  RehearsalScenario,
  RehearsalScenarioName,
} from '@sluice/contract'
import { describeExtraTasks } from '@sluice/contract/rehearsal-scenarios'
import { connect, type UrlOption } from '../connect.ts'
import { objectOf, readFields } from '../fields.ts'
import { isComplete, type OutputOption } from '../output.ts'
import { printAnswer, printer, printList } from '../print.ts'

type Wishes = UrlOption &
  OutputOption & {
    rollbackTo?: string
    scenario?: string[]
    wait?: boolean
    timeline?: string
  }

/** Poll interval for an unfinished rehearsal, in milliseconds. */
const pollMs = 1_000

/** Rehearses a release of a module instance; with `wait`, prints its result. */
export async function rehearse(instance: string, words: string[], wishes: Wishes): Promise<void> {
  const { rollbackTo, scenario, wait, timeline } = wishes
  if (rollbackTo !== undefined && words.length > 0) {
    throw new UsageError('--rollback-to takes no inputs: a rollback has those of its release.')
  }
  const client = connect(wishes)
  const { id: moduleInstanceId, givenId } = await findModuleInstance(client, instance)
  const wanted = (scenario ?? (timeline === undefined ? undefined : [timeline]))?.map(scenarioOf)
  const inputs = objectOf(readFields(words))
  const rollback = rollbackTo === undefined ? {} : { rollbackToDeploymentId: rollbackTo }
  const data = { moduleInstanceId, inputs, ...rollback, ...(wanted && { scenarios: wanted }) }
  const { data: started } = await client.createRehearsal({ body: { data } })
  if (!wait && !timeline) {
    const out = printer(wishes)
    if (wishes.output === undefined) out.say(started.id)
    return out.record(started)
  }
  if (wishes.output === undefined) process.stderr.write(`${started.id} rehearses a release of ${givenId}\n`)
  show(await untilFinished(client, started), wishes)
}

/** Returns the scenario of a word: the name of a predefined one, or faults joined by `+`. */
function scenarioOf(word: string): RehearsalScenarioName | ComposedScenario {
  if (!word.includes('+')) return word as RehearsalScenarioName // the service checks it
  return { name: word, faults: word.split('+').map((type) => ({ type: type as RehearsalFault['type'] })) }
}

async function untilFinished(client: Client, started: Rehearsal): Promise<Rehearsal> {
  let rehearsal = started
  while (rehearsal.status === 'PENDING' || rehearsal.status === 'IN_PROGRESS') {
    await sleep(pollMs)
    rehearsal = (await client.getRehearsal({ params: { id: started.id } })).data
  }
  return rehearsal
}

function show(rehearsal: Rehearsal, wishes: Wishes): void {
  if (rehearsal.error) throw new Error(rehearsal.error.message)
  const { timeline: name } = wishes
  if (isComplete(wishes)) printAnswer({ data: rehearsal }, wishes)
  else if (name === undefined) showScenarios(rehearsal, wishes)
  else showTimeline(rehearsal, name, wishes)
}

function showScenarios(rehearsal: Rehearsal, wishes: Wishes): void {
  const rows = rehearsal.scenarios.map(scenarioRow)
  const columns = ['scenario', 'outcome', 'verdict', 'suggestion']
  if (wishes.output) printList(rows, wishes, { whole: rehearsal, columns, none: 'The rehearsal has no scenarios.' })
  else for (const line of rows.flatMap(scenarioLines)) printer(wishes).say(removeControlCharacters(line))
  for (const assumption of rehearsal.assumptions)
    process.stderr.write(`Assumed: ${removeControlCharacters(assumption)}\n`)
}

const scenarioRow = ({ name, status, outcome, verdict, suggestion, error }: RehearsalScenario) => ({
  scenario: name,
  outcome: outcome ?? status,
  verdict: verdict ?? error?.message,
  suggestion,
})

/** Returns one line per scenario. Full sentences would be truncated in a table. */
const scenarioLines = ({ scenario, outcome, verdict, suggestion }: ReturnType<typeof scenarioRow>): string[] => [
  `${scenario.padEnd(nameWidth)}  ${outcome.padEnd(outcomeWidth)}  ${verdict ?? ''}`,
  ...(suggestion === undefined ? [] : [`${' '.repeat(nameWidth + outcomeWidth + 4)}${suggestion}`]),
]

/** Widths of the longest predefined scenario name and outcome. */
const nameWidth = 'UNHEALTHY_AFTER_FIRST_SHIFT'.length
const outcomeWidth = 'ROLLED_BACK'.length

function showTimeline({ scenarios }: Rehearsal, name: string, wishes: Wishes): void {
  const scenario = scenarios.find((one) => one.name === name)
  if (!scenario) throw new Error(`The scenario ${name} was not rehearsed. Add --scenario ${name}.`)
  const hasTasks = (scenario.peakTaskCount ?? 0) > 0
  const columns = ['time', 'step', 'newTraffic', ...(hasTasks ? ['oldTasks', 'newTasks'] : []), 'errors', 'message']
  printList(scenario.timeline.map(entryRow), wishes, { whole: scenario, columns, none: 'Nothing happens.' })
  process.stderr.write(`${removeControlCharacters(scenario.verdict ?? scenario.error?.message ?? '')}\n`)
  const extra = describeExtraTasks(scenario)
  if (extra !== undefined) process.stderr.write(`${extra}\n`)
}

const entryRow = (entry: RehearsalEntry) => ({
  time: clockOf(entry.seconds),
  step: entry.stepCode ?? entry.type,
  newTraffic: `${entry.newTrafficPercent} %`,
  oldTasks: entry.oldTaskCount,
  newTasks: entry.newTaskCount,
  errors: entry.errorPercent === 0 ? undefined : `${entry.errorPercent} %`,
  message: entry.message,
})

/** Formats seconds as hours, minutes and seconds. */
function clockOf(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
