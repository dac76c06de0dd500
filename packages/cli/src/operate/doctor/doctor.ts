import { escapeControlCharactersInJson, removeControlCharacters } from '@sluice/calls/control-characters'
import { serviceFaults } from '@sluice/server/platform/config/cross-check'
import { ConfigError, type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { type Config, settings } from '@sluice/server/platform/config/settings'
import { examine } from './examine.ts'
import type { Finding } from './finding.ts'

const signs = { ok: '✓', warning: '!', problem: '✗' }

/** Checks whether the service can run here with these settings, without changes. Exits with code 1 on a problem. */
export async function runDoctor(sources: ConfigSources, asJson: boolean): Promise<void> {
  const findings = await findingsOf(sources)
  console.log(
    asJson
      ? escapeControlCharactersInJson(JSON.stringify({ checks: findings }, null, 2))
      : removeControlCharacters(inWords(findings)),
  )
  if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1
}

async function findingsOf(sources: ConfigSources): Promise<Finding[]> {
  try {
    const config = loadCommandConfig(sources)
    return [...roleFindings(config), ...(await examine(config, sources.env))]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((fault) => ({ check: 'settings', verdict: 'problem', says: fault }))
  }
}

/**
 * Returns problems with roles. If the settings name no roles, they are only warnings, because a shared file leaves
 * roles to each process.
 */
function roleFindings(config: Config): Finding[] {
  const verdict = config.roles.length < settings.roles.default.length ? 'problem' : 'warning'
  return serviceFaults(config).map((fault) => ({
    check: 'settings',
    verdict,
    says: `A process with the roles ${config.roles.join(', ')} does not start with these. ${fault}`,
  }))
}

function inWords(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, verdict, says, remedy }) => [
    `${signs[verdict]} ${check.padEnd(width)}  ${says}`,
    ...(remedy === undefined ? [] : [`  ${' '.repeat(width)}  → ${remedy}`]),
  ])
  const count = (verdict: Finding['verdict']) => findings.filter((one) => one.verdict === verdict).length
  return [...lines, '', `${count('ok')} ok, ${count('warning')} warnings, ${count('problem')} problems`].join('\n')
}
