import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CloudRefusal, CloudTrouble } from '../../cloud/adapter/answer.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { Attempt } from '../../pipelines/runner/work.ts'
import { statePath } from '../../stacks/iac-states/token.ts'
import { type CheckedOut, checkOut } from '../adapter/checkout.ts'
import { environmentOf } from '../adapter/environment.ts'
import { hasSucceeded, init, type Workplace } from '../adapter/run.ts'
import { keepSession } from '../adapter/session.ts'
import { SourceTrouble } from '../adapter/source-trouble.ts'
import type { Tool } from '../adapter/tool.ts'
import { StepFailure, toolFailure } from './failure.ts'
import type { IacParts } from './parts.ts'
import type { ProgressShown } from './progress.ts'
import type { Setup } from './setup.ts'

/** A folder in which the tool can work. */
export type Prepared = { place: Workplace; checkedOut: CheckedOut; tool: Tool }

/** Has the tool, the configuration, the credentials and the plug-ins ready, or fails with what is missing. */
export async function prepare(
  parts: IacParts,
  attempt: Attempt,
  setup: Setup,
  progress: ProgressShown,
  lockFile?: string,
): Promise<Prepared> {
  const tool = await findTool(parts, setup)
  progress.enter('init')
  const checkedOut = await checkedOutOnce(parts, attempt, setup)
  const env = await environmentFor(parts, attempt, setup)
  const place = { tool, directory: checkedOut.directory, env, attempt, hear: progress.hear }
  const ran = await init(place, { keepsOwnBackend: setup.workspaceId === null, lockFile })
  if (!hasSucceeded(ran)) throw toolFailure('iacInitFailed', 'The configuration could not be prepared.', ran.events)
  return { place, checkedOut, tool }
}

async function findTool({ toolbox }: IacParts, { tool, toolVersion }: Setup): Promise<Tool> {
  const found = await toolbox.find({ tool, version: toolVersion })
  if ('path' in found) return found
  throw new StepFailure('iacToolMissing', found.reason, {
    description: found.remedy,
    action: { label: 'Install it', url: found.url },
  })
}

/** Nothing is checked out again over files that a program works with which was found again after a restart. */
async function checkedOutOnce({ repositories }: IacParts, attempt: Attempt, { source }: Setup): Promise<CheckedOut> {
  const note = join(attempt.directory, 'checked-out.json')
  const before = await readFile(note, 'utf8').catch(() => undefined)
  if (before !== undefined) return JSON.parse(before)
  try {
    const root = join(attempt.directory, 'source')
    const checkedOut = await checkOut(source, root, {
      organizationId: attempt.step.organizationId,
      repositories,
      signal: attempt.signal,
    })
    if (checkedOut.commit !== undefined) attempt.log(`Checked out ${checkedOut.commit}`)
    await writeFile(note, JSON.stringify(checkedOut))
    return checkedOut
  } catch (error) {
    if (!(error instanceof SourceTrouble)) throw error
    throw new StepFailure('iacSourceUnavailable', error.message, error.said ? { description: error.said } : {})
  }
}

async function environmentFor(parts: IacParts, attempt: Attempt, setup: Setup): Promise<Record<string, string>> {
  const { stateTokens, apiUrl, pluginCache, cliConfig, cloudEndpoint, clock } = parts
  const { workspaceId, environment: own, region } = setup
  const session = await sessionFor(parts, attempt, setup)
  const claims = { stepExecutionId: attempt.step.id, attemptEpoch: attempt.epoch }
  const state =
    workspaceId === null
      ? undefined
      : { url: (await apiUrl) + statePath(workspaceId), token: stateTokens.issue({ workspaceId, ...claims }, clock()) }
  if (state) attempt.mask(state.token)
  return environmentOf({ own, pluginCache, cliConfig, state, session, region, cloudEndpoint })
}

/** Sessions belong to no region; where none is named, this one has always been there. */
const anyRegion = 'us-east-1'

async function sessionFor(
  { db, cloud }: IacParts,
  { step: { organizationId }, directory, mask, log, over }: Attempt,
  { cloudAccountId, region = anyRegion }: Setup,
): Promise<Record<string, string> | undefined> {
  if (cloudAccountId === undefined) return undefined
  const account = await findCloudConnection(db, organizationId, cloudAccountId)
  if (!account) {
    const message = `There is no connected cloud account ${cloudAccountId} in this organization.`
    throw new StepFailure('iacCloudAccessFailed', message)
  }
  const begin = async () => {
    const session = await cloud.credentialsFor(account, region)
    mask(session.secretAccessKey)
    mask(session.sessionToken)
    return session
  }
  const onTrouble = (error: unknown) => log(`The session in the cloud account could not be renewed yet: ${error}`)
  try {
    return await keepSession({ directory: join(directory, 'cloud-session'), begin, over, onTrouble })
  } catch (error) {
    if (!(error instanceof CloudRefusal || error instanceof CloudTrouble)) throw error
    throw new StepFailure('iacCloudAccessFailed', `The role ${account.roleArn} cannot be assumed.`, {
      description: error.message,
    })
  }
}
