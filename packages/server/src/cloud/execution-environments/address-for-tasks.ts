import ipaddr from 'ipaddr.js'

/**
 * Returns the API address for tasks in the cloud: the configured one, or else the public URL unless it is a loopback
 * address.
 */
export function addressForTasks({
  runnerUrl,
  publicUrl,
}: {
  runnerUrl: string | undefined
  publicUrl: string | undefined
}): string | undefined {
  if (runnerUrl !== undefined) return runnerUrl
  return publicUrl !== undefined && !leadsToAsker(new URL(publicUrl).hostname) ? publicUrl : undefined
}

function leadsToAsker(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  if (!ipaddr.isValid(address)) return host === 'localhost' || host.endsWith('.localhost')
  return ['loopback', 'unspecified', 'linkLocal'].includes(ipaddr.process(address).range())
}
