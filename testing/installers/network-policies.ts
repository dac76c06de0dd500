/** Pod as seen by network policies. */
export type Peer = { namespace: string; labels: Readonly<Record<string, string>> }

type LabelSelector = {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}
type PolicyPeer = { podSelector?: LabelSelector; namespaceSelector?: LabelSelector; ipBlock?: object }
type Rule = { from?: PolicyPeer[]; to?: PolicyPeer[]; ports?: { port: string | number; protocol?: string }[] }

export type NetworkPolicy = {
  metadata: { namespace?: string }
  spec: { podSelector: LabelSelector; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] }
}

export type Connection = { from: Peer; to: Peer; port: { name: string; number: number } }

/**
 * Reports whether policies allow a connection between two pods: in each direction for which any policy selects the pod,
 * a rule must allow it.
 */
export function isAllowed(policies: readonly NetworkPolicy[], connection: Connection): boolean {
  const { from, to } = connection
  return (
    isAllowedOneWay(policies, connection, { pod: to, type: 'Ingress', rulesOf: ({ ingress = [] }) => ingress }) &&
    isAllowedOneWay(policies, connection, { pod: from, type: 'Egress', rulesOf: ({ egress = [] }) => egress })
  )
}

type Direction = { pod: Peer; type: string; rulesOf: (spec: NetworkPolicy['spec']) => Rule[] }

function isAllowedOneWay(
  policies: readonly NetworkPolicy[],
  { from, to, port }: Connection,
  { pod, type, rulesOf }: Direction,
): boolean {
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace &&
      spec.policyTypes.includes(type) &&
      selectorMatches(spec.podSelector, pod.labels),
  )
  if (selecting.length === 0) return true
  const other = type === 'Ingress' ? from : to
  return selecting.some(({ spec }) =>
    rulesOf(spec).some(({ from: sources, to: targets, ports }) => {
      const peers = type === 'Ingress' ? sources : targets
      const isPeer = peers?.some((peer) => isSelected(peer, other, pod.namespace)) ?? true
      const isPort = ports?.some((one) => one.port === port.name || one.port === port.number) ?? true
      return isPeer && isPort
    }),
  )
}

function isSelected({ podSelector, namespaceSelector, ipBlock }: PolicyPeer, peer: Peer, namespace: string): boolean {
  if (ipBlock) return false // for addresses outside the cluster
  const isInNamespace = namespaceSelector
    ? selectorMatches(namespaceSelector, { 'kubernetes.io/metadata.name': peer.namespace })
    : peer.namespace === namespace
  return isInNamespace && (podSelector === undefined || selectorMatches(podSelector, peer.labels))
}

export function selectorMatches(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`testing/installers/network-policies.ts knows no operator ${operator}`)
      return values.includes(labels[key] ?? '')
    })
  )
}
