import { ConfigError, type ConfigSources, loadConfig } from '@sluice/server/platform/config/load'
import { examine } from './examine.ts'
import type { Finding } from './finding.ts'

const signs = { ok: '✓', warning: '!', problem: '✗' }

/** Says whether the service can run here with these settings. Changes nothing. Exit code 1 where there is a problem. */
export async function runDoctor(sources: ConfigSources, asJson: boolean): Promise<void> {
  const findings = await findingsOf(sources)
  console.log(asJson ? JSON.stringify({ checks: findings }, null, 2) : inWords(findings))
  if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1
}

async function findingsOf(sources: ConfigSources): Promise<Finding[]> {
  try {
    return await examine(loadConfig(sources), sources.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((fault) => ({ check: 'settings', verdict: 'problem', says: fault }))
  }
}

function inWords(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, verdict, says, remedy }) => [
    `${signs[verdict]} ${check.padEnd(width)}  ${says}`,
    ...(remedy === undefined ? [] : [`  ${' '.repeat(width)}  → ${remedy}`]),
  ])
  const count = (verdict: Finding['verdict']) => findings.filter((one) => one.verdict === verdict).length
  return [...lines, '', `${count('ok')} ok, ${count('warning')} to look at, ${count('problem')} to mend`].join('\n')
}
