import { dataDirectory } from './backend.ts'

/** URL of the state and the credentials for it. */
export type StateAccess = { url: string; token: string; workspace?: string | undefined }

export type EnvironmentParts = {
  /** Variables of the step. */
  stepVariables: Record<string, string>
  /** Folder of the attempt for provider plugins. */
  plugins: string
  /** Proxy and certificate variables of this machine. */
  network: Record<string, string>
  /** Path of a CLI configuration file with mirrors. */
  cliConfig: string | undefined
  state: StateAccess | undefined
  /** Variables that configure the session in the cloud account, if there is one. */
  session: Record<string, string> | undefined
  region: string | undefined
  cloudEndpoint: string | undefined
}

/**
 * Returns the environment of the tool. The runner's variables override the step's. The token of the state is only here:
 * the tool reads the backend's settings from the environment at each start, so that no plan file contains it.
 */
export function createEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { stepVariables, plugins, network, cliConfig, state, session, region, cloudEndpoint } = parts
  return {
    ...network,
    ...(session ? withoutCredentials(stepVariables) : stepVariables),
    ...nonInteractive,
    TF_DATA_DIR: dataDirectory,
    TF_PLUGIN_CACHE_DIR: plugins,
    // Uses cached plugins that the lock file does not list yet. The hashes that it lists are still checked.
    TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: '1',
    ...(cliConfig !== undefined && { TF_CLI_CONFIG_FILE: cliConfig }),
    ...(state && createStateVariables(state)),
    ...session,
    ...(region !== undefined && { AWS_REGION: region }),
    ...(session && cloudEndpoint !== undefined && { AWS_ENDPOINT_URL: cloudEndpoint }),
  }
}

/** Returns the environment for fetching plugins, without any variable of the step. */
export const createFetchEnvironment = (
  network: Record<string, string>,
  cliConfig: string | undefined,
): Record<string, string> => ({
  ...network,
  ...nonInteractive,
  ...(cliConfig !== undefined && { TF_CLI_CONFIG_FILE: cliConfig }),
})

const nonInteractive = { CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_INPUT: '0' }

/** Variables of the step that would take precedence over the session. */
const credentialVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE']

const withoutCredentials = (own: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !credentialVariables.includes(name)))

/** Variable with the name of the workspace. The tool itself calls every workspace `default`. */
export const workspaceVariable = 'sluice_workspace'

const createStateVariables = ({ url, token, workspace }: StateAccess) => ({
  ...(workspace !== undefined && { [`TF_VAR_${workspaceVariable}`]: workspace }),
  TF_HTTP_ADDRESS: url,
  TF_HTTP_LOCK_ADDRESS: `${url}/lock`,
  TF_HTTP_LOCK_METHOD: 'POST',
  TF_HTTP_UNLOCK_ADDRESS: `${url}/lock`,
  TF_HTTP_UNLOCK_METHOD: 'DELETE',
  TF_HTTP_USERNAME: 'sluice',
  TF_HTTP_PASSWORD: token,
  // Retries while a server restarts: after 1, 2, 4, 5, 5, … seconds, for about five minutes.
  TF_HTTP_RETRY_MAX: '60',
  TF_HTTP_RETRY_WAIT_MIN: '1',
  TF_HTTP_RETRY_WAIT_MAX: '5',
})
