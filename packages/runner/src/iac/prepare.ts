import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { IacOrder } from '@sluice/contract/runner-protocol'
import { mostPlanBytes } from '@sluice/contract/runner-protocol/constants'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { operatorsNetwork } from '../operators-network.ts'
import { type CheckedOut, checkOutOnce } from '../sources/checkout.ts'
import { SourceTrouble } from '../sources/source-trouble.ts'
import { expectOurBackend, expectOwnBackend } from './backend.ts'
import { filesOf } from './cli-config.ts'
import { type DeclaredBackend, findDeclaredBackend, rejectCloudBlock } from './declared-backend.ts'
import { environmentOf, fetchEnvironment } from './environment.ts'
import { toolFailure } from './failure.ts'
import type { IacParts } from './parts.ts'
import { type Fetch, pluginsIn } from './plugins.ts'
import type { ProgressShown } from './progress.ts'
import { complete, hasSucceeded, init, lockFileIn, type Workplace } from './run.ts'
import { keepSession } from './session.ts'
import type { Tool } from './tool.ts'

/** A folder in which the tool can work. */
export type Prepared = {
  place: Workplace
  checkedOut: CheckedOut
  tool: Tool
  /** The backend of the configuration, whose place Sluice takes. */
  replacedBackend?: DeclaredBackend
}

/** Has the tool, the configuration, the credentials and the plug-ins ready, or fails with what is missing. */
export async function prepare(
  parts: IacParts,
  attempt: Attempt,
  order: IacOrder,
  progress: ProgressShown,
): Promise<Prepared> {
  const tool = await findTool(parts, order)
  progress.enter('init')
  const { plugins, cliConfig } = parts
  const ofTool = [tool.path, await realpath(tool.path), ...(await filesOf(cliConfig))]
  const fetch = { tool, env: fetchEnvironment(networkOf(parts), cliConfig), readOnly: ofTool }
  const checkedOut = await checkedOutFor(parts, attempt, order, fetch)
  const env = await environmentFor(parts, attempt, order)
  const readOnly = [...ofTool, plugins.folderOf(attempt.organizationId)]
  const place = {
    tool,
    directory: checkedOut.directory,
    env,
    mostPlanBytes: order.mostPlanBytes ?? mostPlanBytes,
    readOnly,
    attempt,
    hear: progress.hear,
  }
  const replacedBackend = order.state && (await findDeclaredBackend(place))
  if (order.run === 'PLAN' && !order.state?.before) rejectCloudBlock(replacedBackend)
  const ran = await init(place)
  if (order.state) await expectOurBackend(place, hasSucceeded(ran))
  if (!hasSucceeded(ran)) throw toolFailure('iacInitFailed', 'The configuration could not be prepared.', ran.events)
  if (!order.state) await expectOwnBackend(place)
  await keepPlugins(parts, attempt, checkedOut.directory, fetch) // those that it has settled on by itself
  return { place, checkedOut, tool, ...(replacedBackend && { replacedBackend }) }
}

async function keepPlugins({ plugins }: IacParts, attempt: Attempt, directory: string, fetch: Fetch): Promise<void> {
  const lockFile = await lockFileIn({ attempt, directory })
  if (lockFile !== undefined) await plugins.keep(attempt, fetch, pluginsIn(lockFile))
}

async function findTool({ toolbox }: IacParts, { tool, toolVersion }: IacOrder): Promise<Tool> {
  const found = await toolbox.find({ tool, version: toolVersion })
  if ('path' in found) return found
  throw new StepFailure('iacToolMissing', found.reason, {
    description: found.remedy,
    action: { label: 'Install it', url: found.url },
  })
}

async function checkedOutFor(
  parts: IacParts,
  attempt: Attempt,
  { source, state, plan }: IacOrder,
  fetch: Fetch,
): Promise<CheckedOut> {
  const { repositories, plugins } = parts
  try {
    return await checkOutOnce(source, { repositories, attempt }, async ({ directory, commit }) => {
      if (commit !== undefined) attempt.log(`Checked out ${commit}`)
      await complete(directory, { keepsOwnBackend: state === undefined, lockFile: plan?.lockFile })
      await keepPlugins(parts, attempt, directory, fetch)
      await plugins.linkInto(pluginsOf(attempt), attempt.organizationId)
    })
  } catch (error) {
    if (!(error instanceof SourceTrouble)) throw error
    throw new StepFailure('iacSourceUnavailable', error.message, error.said ? { description: error.said } : {})
  }
}

/** Where the tool looks for plug-ins that were fetched before, and puts those that were not. */
const pluginsOf = ({ directory }: Attempt): string => join(directory, 'plugins')

async function environmentFor(parts: IacParts, attempt: Attempt, order: IacOrder): Promise<Record<string, string>> {
  const { apiUrl, addressOf, cliConfig } = parts
  const { env: own, region, cloudEndpoint } = order
  const session = order.hasSession ? await sessionFor(attempt) : undefined
  const { path, token, workspace } = order.state ?? {}
  const isKept = path !== undefined && token !== undefined
  const state = isKept ? { url: addressOf(apiUrl) + path, token, workspace } : undefined
  return environmentOf({
    own,
    plugins: pluginsOf(attempt),
    network: networkOf(parts),
    cliConfig,
    state,
    session,
    region,
    cloudEndpoint: cloudEndpoint && addressOf(cloudEndpoint),
  })
}

const networkOf = ({ addressOf }: IacParts) => operatorsNetwork(addressOf)

function sessionFor({ calls, folders, log, mask, over }: Attempt): Promise<Record<string, string>> {
  const begin = async () => {
    const session = await calls.cloudSession()
    mask(session.secretAccessKey)
    mask(session.sessionToken)
    return { ...session, expiration: new Date(session.expiration) }
  }
  const onTrouble = (error: unknown) => log(`The session in the cloud account could not be renewed yet: ${error}`)
  return keepSession({ directory: join(folders.given, 'cloud-session'), begin, over, onTrouble })
}
