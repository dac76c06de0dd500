import { type Config, settings } from './settings.ts'

/** Returns errors of settings that are valid by themselves but contradict each other. */
export function crossCheck(config: Config): string[] {
  const faults: string[] = []
  if ((config.engineIngressUrl !== undefined) !== (config.engineAdminUrl !== undefined)) {
    faults.push('ENGINE_INGRESS_URL and ENGINE_ADMIN_URL belong together: set both or neither.')
  }
  if (config.encryptionKey !== undefined && config.encryptionKeys !== undefined) {
    faults.push(
      'SLUICE_ENCRYPTION_KEY and SLUICE_ENCRYPTION_KEYS are alternatives: put all keys into SLUICE_ENCRYPTION_KEYS.',
    )
  }
  faults.push(...guessableKeys(config))
  faults.push(...gitHosts(config))
  if (isPartial([config.oidcIssuer, config.oidcClientId, config.oidcClientSecret])) {
    faults.push(
      'SLUICE_OIDC_ISSUER, SLUICE_OIDC_CLIENT_ID and SLUICE_OIDC_CLIENT_SECRET belong together: set all or none.',
    )
  }
  faults.push(...archive(config))
  if (isPartial([config.smtpUrl, config.mailFrom])) {
    faults.push('SLUICE_SMTP_URL and SLUICE_MAIL_FROM belong together: set both or neither.')
  }
  if (config.mcpActions === 'on' && config.mcp === 'off') {
    faults.push('SLUICE_MCP_ACTIONS requires SLUICE_MCP, which is off.')
  }
  faults.push(...clock(config))
  if (config.pollMinMs > config.pollMaxMs) {
    faults.push(`SLUICE_POLL_MIN_MS (${config.pollMinMs}) is greater than SLUICE_POLL_MAX_MS (${config.pollMaxMs}).`)
  }
  return faults
}

/** Returns the missing settings of a process that serves roles. Commands need only some settings. */
export function serviceFaults(config: Config): string[] {
  const faults: string[] = []
  const hasEngine = config.engineIngressUrl !== undefined
  const sharesWork = config.roles.length < settings.roles.default.length
  const hasKey = config.encryptionKey !== undefined || config.encryptionKeys !== undefined
  if (sharesWork && (!hasEngine || config.databaseUrl === undefined || !hasKey)) {
    faults.push(
      `SLUICE_ROLES is ${config.roles.join(',')}: processes with different roles share a database, an engine and a key. ` +
        'Set DATABASE_URL, ENGINE_INGRESS_URL, ENGINE_ADMIN_URL and SLUICE_ENCRYPTION_KEY.',
    )
  }
  if (config.roles.includes('runner') && !config.roles.includes('api') && config.publicUrl === undefined) {
    faults.push(
      'Set SLUICE_PUBLIC_URL: a runner without the role api stores states through the API of another process.',
    )
  }
  if (hasEngine && servesEngine(config)) faults.push(...reachability(config))
  return faults
}

/**
 * Minimum number of different values in a key. 32 random bytes have about 30; an example or a repeated word has few.
 */
const leastDifferent = 16

function guessableKeys({ encryptionKey, encryptionKeys = [] }: Config): string[] {
  const isGuessable = (key: string) => new Set(Buffer.from(key, 'base64')).size < leastDifferent
  const faultOf = (name: string) => `${name} has a key that can be guessed. Make one with openssl rand -base64 32.`
  return [
    ...(encryptionKey !== undefined && isGuessable(encryptionKey) ? [faultOf('SLUICE_ENCRYPTION_KEY')] : []),
    ...(encryptionKeys.some(isGuessable) ? [faultOf('SLUICE_ENCRYPTION_KEYS')] : []),
  ]
}

/** Rejects a fast clock with the real cloud, where a pause of an hour would end here before it ends there. */
function clock({ clockSpeed, clockEpoch, cloudEndpoint }: Config): string[] {
  const faults: string[] = []
  if (clockSpeed > 1 !== (clockEpoch !== undefined)) {
    faults.push('SLUICE_CLOCK_SPEED and SLUICE_CLOCK_EPOCH belong together: set both or neither.')
  }
  if (clockSpeed > 1 && cloudEndpoint === undefined) {
    faults.push(`SLUICE_CLOCK_SPEED is ${clockSpeed}, which requires a simulated cloud: set SLUICE_CLOUD_ENDPOINT.`)
  }
  return faults
}

function archive({ archiveDir, archiveBucket, archiveRegion, archiveEndpoint }: Config): string[] {
  const faults: string[] = []
  if (archiveDir !== undefined && archiveBucket !== undefined) {
    faults.push('SLUICE_ARCHIVE_DIR and SLUICE_ARCHIVE_BUCKET are alternatives: set one of them.')
  }
  if (isPartial([archiveBucket, archiveRegion])) {
    faults.push('SLUICE_ARCHIVE_BUCKET and SLUICE_ARCHIVE_REGION belong together: set both or neither.')
  }
  if (archiveEndpoint !== undefined && archiveBucket === undefined) {
    faults.push('SLUICE_ARCHIVE_ENDPOINT requires SLUICE_ARCHIVE_BUCKET.')
  }
  return faults
}

/** Rejects incomplete apps of git hosts, which would fail only on first use. */
function gitHosts(config: Config): string[] {
  const faults: string[] = []
  const key = config.githubPrivateKey ?? config.githubPrivateKeyFile
  if (config.githubPrivateKey !== undefined && config.githubPrivateKeyFile !== undefined) {
    faults.push('SLUICE_GITHUB_PRIVATE_KEY and SLUICE_GITHUB_PRIVATE_KEY_FILE are alternatives: set one of them.')
  }
  const { githubAppId, githubClientId, githubClientSecret, githubWebhookSecret } = config
  if (isPartial([githubAppId, key, githubClientId, githubClientSecret, githubWebhookSecret])) {
    faults.push(
      'A GitHub App needs SLUICE_GITHUB_APP_ID, SLUICE_GITHUB_PRIVATE_KEY or SLUICE_GITHUB_PRIVATE_KEY_FILE, ' +
        'SLUICE_GITHUB_CLIENT_ID, SLUICE_GITHUB_CLIENT_SECRET and SLUICE_GITHUB_WEBHOOK_SECRET: set all or none.',
    )
  }
  if (isPartial([config.gitlabClientId, config.gitlabClientSecret])) {
    faults.push('SLUICE_GITLAB_CLIENT_ID and SLUICE_GITLAB_CLIENT_SECRET belong together: set both or neither.')
  }
  return faults
}

const isPartial = (values: unknown[]): boolean =>
  values.includes(undefined) && values.some((value) => value !== undefined)

/** Reports whether the engine calls this process. Runners only send to the engine. */
const servesEngine = ({ roles }: Config) => roles.includes('worker')

/** Requires that an external engine can reach the worker, and no one else. */
function reachability({ workerUrl, workerPort, engineIdentityKeys }: Config): string[] {
  const faults: string[] = []
  if (workerUrl === undefined || workerPort === undefined) {
    faults.push('An external engine must reach the worker: set WORKER_URL and WORKER_PORT.')
  }
  if (engineIdentityKeys === undefined) {
    faults.push(
      'Set ENGINE_IDENTITY_KEYS, so that only your engine can call the worker: programs of steps and other users of ' +
        'the machine can reach its port, too.',
    )
  }
  return faults
}
