import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { IacOrder } from '@sluice/contract/runner-protocol'
import { defaultMaxPlanBytes } from '@sluice/contract/runner-protocol/constants'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { readNetworkEnvironment } from '../network-environment.ts'
import { type Checkout, checkOutOnce } from '../sources/checkout.ts'
import { SourceError } from '../sources/source-error.ts'
import { requireDeclaredBackend, requireSluiceBackend } from './backend.ts'
import { listCliConfigFiles } from './cli-config.ts'
import { readDeclarations } from './declarations.ts'
import { type DeclaredBackend, rejectCloudBlock } from './declared-backend.ts'
import { createEnvironment, createFetchEnvironment } from './environment.ts'
import { createToolFailure } from './failure.ts'
import type { IacParts } from './parts.ts'
import { type Fetch, parseLockFile } from './plugin-cache.ts'
import type { ProgressReporter } from './progress.ts'
import { maintainSession } from './session.ts'
import type { Tool } from './tool.ts'
import { hasSucceeded, init, readLockFile, type ToolContext, writeSluiceFiles } from './tool-commands.ts'

/** A folder that is ready for the tool. */
export type Prepared = {
  context: ToolContext
  checkout: Checkout
  tool: Tool
  /** The backend that the configuration declares and that Sluice overrides. */
  replacedBackend?: DeclaredBackend
}

/** Prepares the tool, configuration, credentials and plugins. @throws {StepFailure} with what is missing */
export async function prepareIacStep(
  parts: IacParts,
  attempt: Attempt,
  order: IacOrder,
  progress: ProgressReporter,
): Promise<Prepared> {
  const tool = await findTool(parts, order)
  progress.enter('init')
  const { plugins, cliConfig } = parts
  const ofTool = [tool.path, await realpath(tool.path), ...(await listCliConfigFiles(cliConfig))]
  const fetch = { tool, env: createFetchEnvironment(readNetwork(parts), cliConfig), readOnly: ofTool }
  const checkout = await checkOutSource(parts, attempt, order, fetch)
  const env = await createStepEnvironment(parts, attempt, order)
  const readOnly = [...ofTool, plugins.folderOf(attempt.organizationId)]
  const context = {
    tool,
    directory: checkout.directory,
    env,
    maxPlanBytes: order.mostPlanBytes ?? defaultMaxPlanBytes,
    readOnly,
    attempt,
    onEvent: progress.onEvent,
  }
  const { backend, sensitiveVariables: names } = await readDeclarations(context)
  // Before the tool starts, so that the step's input hides the values even if the plan fails.
  if (order.reportsSensitiveVariables && names.length > 0) await attempt.api.reportSensitiveVariables({ names })
  const replacedBackend = order.state && backend
  if (order.run === 'PLAN' && !order.state?.before) rejectCloudBlock(replacedBackend)
  const ran = await init(context)
  if (order.state) await requireSluiceBackend(context, hasSucceeded(ran))
  if (!hasSucceeded(ran))
    throw createToolFailure('iacInitFailed', 'The configuration could not be prepared.', ran.events)
  if (!order.state) await requireDeclaredBackend(context)
  await cachePlugins(parts, attempt, checkout.directory, fetch) // versions that `init` selected
  return { context, checkout, tool, ...(replacedBackend && { replacedBackend }) }
}

async function cachePlugins({ plugins }: IacParts, attempt: Attempt, directory: string, fetch: Fetch): Promise<void> {
  const lockFile = await readLockFile({ attempt, directory })
  if (lockFile !== undefined) await plugins.fetchMissing(attempt, fetch, parseLockFile(lockFile))
}

async function findTool({ toolbox }: IacParts, { tool, toolVersion }: IacOrder): Promise<Tool> {
  const found = await toolbox.find({ tool, version: toolVersion })
  if ('path' in found) return found
  throw new StepFailure('iacToolMissing', found.reason, {
    description: found.remedy,
    action: { label: 'Installation guide', url: found.url },
  })
}

async function checkOutSource(
  parts: IacParts,
  attempt: Attempt,
  { source, state, plan }: IacOrder,
  fetch: Fetch,
): Promise<Checkout> {
  const { repositories, plugins } = parts
  try {
    return await checkOutOnce(source, { repositories, attempt }, async ({ directory, commit }) => {
      if (commit !== undefined) attempt.log(`Checked out ${commit}`)
      await writeSluiceFiles(directory, { keepsOwnBackend: state === undefined, lockFile: plan?.lockFile })
      await cachePlugins(parts, attempt, directory, fetch)
      await plugins.linkInto(pluginFolderOf(attempt), attempt.organizationId)
    })
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new StepFailure('iacSourceUnavailable', error.message, error.output ? { description: error.output } : {})
  }
}

/** Returns the folder where the tool finds cached plugins and stores others. */
const pluginFolderOf = ({ directory }: Attempt): string => join(directory, 'plugins')

async function createStepEnvironment(
  parts: IacParts,
  attempt: Attempt,
  order: IacOrder,
): Promise<Record<string, string>> {
  const { apiUrl, rewriteUrl, cliConfig } = parts
  const { env: stepVariables, region, cloudEndpoint } = order
  const session = order.hasSession ? await openSession(attempt) : undefined
  const { path, token, workspace } = order.state ?? {}
  const isKept = path !== undefined && token !== undefined
  const state = isKept ? { url: rewriteUrl(apiUrl) + path, token, workspace } : undefined
  return createEnvironment({
    stepVariables,
    plugins: pluginFolderOf(attempt),
    network: readNetwork(parts),
    cliConfig,
    state,
    session,
    region,
    cloudEndpoint: cloudEndpoint && rewriteUrl(cloudEndpoint),
  })
}

const readNetwork = ({ rewriteUrl }: IacParts) => readNetworkEnvironment(rewriteUrl)

function openSession({ api, folders, log, mask, finished }: Attempt): Promise<Record<string, string>> {
  const open = async () => {
    const session = await api.requestCloudSession()
    mask(session.secretAccessKey)
    mask(session.sessionToken)
    return { ...session, expiration: new Date(session.expiration) }
  }
  const onError = (error: unknown) => log(`Cannot renew the session in the cloud account, retrying: ${error}`)
  return maintainSession({ directory: join(folders.inputs, 'cloud-session'), open, finished, onError })
}
