import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IacOrder } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { type CheckedOut, checkOut } from '../sources/checkout.ts'
import { SourceTrouble } from '../sources/source-trouble.ts'
import { environmentOf } from './environment.ts'
import { toolFailure } from './failure.ts'
import type { IacParts } from './parts.ts'
import type { ProgressShown } from './progress.ts'
import { hasSucceeded, init, type Workplace } from './run.ts'
import { keepSession } from './session.ts'
import type { Tool } from './tool.ts'

/** A folder in which the tool can work. */
export type Prepared = { place: Workplace; checkedOut: CheckedOut; tool: Tool }

/** Has the tool, the configuration, the credentials and the plug-ins ready, or fails with what is missing. */
export async function prepare(
  parts: IacParts,
  attempt: Attempt,
  order: IacOrder,
  progress: ProgressShown,
): Promise<Prepared> {
  const tool = await findTool(parts, order)
  progress.enter('init')
  const checkedOut = await checkedOutOnce(parts, attempt, order)
  const env = await environmentFor(parts, attempt, order)
  const place = { tool, directory: checkedOut.directory, env, attempt, hear: progress.hear }
  const ran = await init(place, { keepsOwnBackend: order.state === undefined, lockFile: order.plan?.lockFile })
  if (!hasSucceeded(ran)) throw toolFailure('iacInitFailed', 'The configuration could not be prepared.', ran.events)
  return { place, checkedOut, tool }
}

async function findTool({ toolbox }: IacParts, { tool, toolVersion }: IacOrder): Promise<Tool> {
  const found = await toolbox.find({ tool, version: toolVersion })
  if ('path' in found) return found
  throw new StepFailure('iacToolMissing', found.reason, {
    description: found.remedy,
    action: { label: 'Install it', url: found.url },
  })
}

/** Nothing is checked out again over files that a program works with which was found again after a restart. */
async function checkedOutOnce({ repositories }: IacParts, attempt: Attempt, { source }: IacOrder): Promise<CheckedOut> {
  const note = join(attempt.directory, 'checked-out.json')
  const before = await readFile(note, 'utf8').catch(() => undefined)
  if (before !== undefined) return JSON.parse(before)
  try {
    const checkedOut = await checkOut(source, join(attempt.directory, 'source'), { repositories, attempt })
    if (checkedOut.commit !== undefined) attempt.log(`Checked out ${checkedOut.commit}`)
    await writeFile(note, JSON.stringify(checkedOut))
    return checkedOut
  } catch (error) {
    if (!(error instanceof SourceTrouble)) throw error
    throw new StepFailure('iacSourceUnavailable', error.message, error.said ? { description: error.said } : {})
  }
}

async function environmentFor(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Record<string, string>> {
  const { apiUrl, pluginCache, cliConfig } = parts
  const { env: own, region, cloudEndpoint } = order
  const session = order.hasSession ? await sessionFor(attempt) : undefined
  const state = order.state && { url: apiUrl + order.state.path, token: order.state.token }
  return environmentOf({ own, pluginCache, cliConfig, state, session, region, cloudEndpoint })
}

function sessionFor({ calls, directory, log, mask, over }: Attempt): Promise<Record<string, string>> {
  const begin = async () => {
    const session = await calls.cloudSession()
    mask(session.secretAccessKey)
    mask(session.sessionToken)
    return { ...session, expiration: new Date(session.expiration) }
  }
  const onTrouble = (error: unknown) => log(`The session in the cloud account could not be renewed yet: ${error}`)
  return keepSession({ directory: join(directory, 'cloud-session'), begin, over, onTrouble })
}
