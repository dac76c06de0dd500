import { dataDirectory } from './backend.ts'

/** Where the state is, and what opens it. */
export type StateAccess = { url: string; token: string; workspace?: string | undefined }

export type EnvironmentParts = {
  /** What the step asks for. */
  own: Record<string, string>
  /** Where the tool keeps plug-ins, of the attempt. */
  plugins: string
  /** How this machine reaches others, as programs are told. */
  network: Record<string, string>
  /** A configuration file of the tool's command line, with mirrors. */
  cliConfig: string | undefined
  state: StateAccess | undefined
  /** What leads the tool to its session in the cloud account, if it has one. */
  session: Record<string, string> | undefined
  region: string | undefined
  cloudEndpoint: string | undefined
}

/**
 * The whole environment of the tool, beside what every program gets. Ours goes over the step's own. The token of the
 * state is here and in no file: the backend's settings are read from it at each start, so that no saved plan has it in
 * it.
 */
export function environmentOf(parts: EnvironmentParts): Record<string, string> {
  const { own, plugins, network, cliConfig, state, session, region, cloudEndpoint } = parts
  return {
    ...network,
    ...(session ? withoutCredentials(own) : own),
    ...quiet,
    TF_DATA_DIR: dataDirectory,
    TF_PLUGIN_CACHE_DIR: plugins,
    // A plug-in in the cache is taken although the lock file does not know it yet; what it knows is still checked.
    TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: '1',
    ...(cliConfig !== undefined && { TF_CLI_CONFIG_FILE: cliConfig }),
    ...(state && stateVariables(state)),
    ...session,
    ...(region !== undefined && { AWS_REGION: region }),
    ...(session && cloudEndpoint !== undefined && { AWS_ENDPOINT_URL: cloudEndpoint }),
  }
}

/** The environment of the tool where it works for us, and for no step. */
export const fetchEnvironment = (
  network: Record<string, string>,
  cliConfig: string | undefined,
): Record<string, string> => ({
  ...network,
  ...quiet,
  ...(cliConfig !== undefined && { TF_CLI_CONFIG_FILE: cliConfig }),
})

const quiet = { CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_INPUT: '0' }

/** Read before the session, these would take its place. */
const credentialVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE']

const withoutCredentials = (own: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !credentialVariables.includes(name)))

/** The variable in which a configuration finds the name of its workspace: the tool itself calls each `default`. */
export const workspaceVariable = 'sluice_workspace'

const stateVariables = ({ url, token, workspace }: StateAccess) => ({
  ...(workspace !== undefined && { [`TF_VAR_${workspaceVariable}`]: workspace }),
  TF_HTTP_ADDRESS: url,
  TF_HTTP_LOCK_ADDRESS: `${url}/lock`,
  TF_HTTP_LOCK_METHOD: 'POST',
  TF_HTTP_UNLOCK_ADDRESS: `${url}/lock`,
  TF_HTTP_UNLOCK_METHOD: 'DELETE',
  TF_HTTP_USERNAME: 'sluice',
  TF_HTTP_PASSWORD: token,
  // A server that restarts is waited for: 1, 2, 4, 5, 5, … seconds, about five minutes in all.
  TF_HTTP_RETRY_MAX: '60',
  TF_HTTP_RETRY_WAIT_MIN: '1',
  TF_HTTP_RETRY_WAIT_MAX: '5',
})
