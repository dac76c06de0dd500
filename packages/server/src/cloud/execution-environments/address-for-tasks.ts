import ipaddr from 'ipaddr.js'

/**
 * Where tasks in the cloud reach the API: what the operator says of them, else where people do, unless that leads to
 * whoever asks.
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
