/**
 * Headers with which an agent's client names the tool that it calls or the resource that it reads. The audit log
 * records each use. The headers neither grant permissions nor suppress audit events.
 */
export const agentHeaders = { tool: 'sluice-agent-tool', resource: 'sluice-agent-resource' } as const

/** Use of a tool, by name, or of a resource, by URI. */
export type AgentUse = { of: keyof typeof agentHeaders; name: string }
