/**
 * By these headers a program that serves an agent says which of its tools is called, or which of its resources is read:
 * the audit log has a line for each. Sent or not, they give no right and take no line away.
 */
export const agentHeaders = { tool: 'sluice-agent-tool', resource: 'sluice-agent-resource' } as const

/** What an agent uses: a tool, by its name, or a resource, by its address. */
export type AgentUse = { of: keyof typeof agentHeaders; name: string }
