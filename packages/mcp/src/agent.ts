import type { Implementation } from '@modelcontextprotocol/sdk/types.js'

const longestName = 100

/**
 * By what name the service knows who calls, which the audit log keeps: ours, and in brackets what the agent's program
 * calls itself. That it says freely, so nothing else of a header can be in it.
 */
export function userAgentOf(version: string, client: Implementation | undefined): string {
  const name = client === undefined ? '' : `${client.name} ${client.version}`
  const told = name.replaceAll(/[^\w .:/@+-]/g, '_').slice(0, longestName)
  return `sluice-mcp/${version} (${told.trim() || 'unknown'})`
}
