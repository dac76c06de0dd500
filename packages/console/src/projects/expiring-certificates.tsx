import { Alert, List } from '@mantine/core'
import { useOperation } from '../api/use-operation.ts'
import { IconAlertTriangle } from '../ui/icons.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** Warns about certificates of a project that expire soon; nothing if there are none. */
export const ExpiringCertificates = ({ projectId }: { projectId: string }) => {
  const expiring = useOperation('listCertificates', { query: { expiresSoon: true, limit: 100 } }).data?.data ?? []
  const query = { projectId, limit: 100 }
  const domains = useOperation('listDomains', { query }, { enabled: expiring.length > 0 }).data?.data ?? []
  const wanted = new Set(domains.flatMap(({ certificateIds }) => certificateIds))
  const ofProject = expiring.filter(({ id }) => wanted.has(id))
  if (ofProject.length === 0) return null
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={ofProject.length === 1 ? 'A certificate expires soon' : `${ofProject.length} certificates expire soon`}
    >
      <List size="sm" listStyleType="none">
        {ofProject.map(({ id, names, expiresAt }) => (
          <List.Item key={id}>
            {names[0]} {expiresAt && <TimeAgo at={expiresAt} />}
          </List.Item>
        ))}
      </List>
      <TextLink to="/console/settings/domains" size="sm" c="inherit" underline="always">
        View details
      </TextLink>
    </Alert>
  )
}
