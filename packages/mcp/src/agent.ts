import type { Implementation } from '@modelcontextprotocol/sdk/types.js'

const maxNameLength = 100

/**
 * Returns the name under which the audit log records the caller: the name of this program, and in brackets the name
 * that the agent gives itself, with only characters that are safe in a header.
 */
export function userAgentOf(version: string, client: Implementation | undefined): string {
  const name = client === undefined ? '' : `${client.name} ${client.version}`
  const told = name.replaceAll(/[^\w .:/@+-]/g, '_').slice(0, maxNameLength)
  return `sluice-mcp/${version} (${told.trim() || 'unknown'})`
}
