import { Badge, Group, Table, Text } from '@mantine/core'
import type { Certificate, Domain } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ErrorRow } from '../../ui/tables/error-row.tsx'
import { RecordTable } from '../../ui/tables/record-table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { certificateStatuses } from './certificate-status.ts'
import { NewDomain } from './new-domain.tsx'

/** Lists domains of environments. */
export const Domains = () => {
  const domains = useCompleteList('listDomains', {})
  const certificates = useCompleteList('listCertificates', {})
  const environments = useCompleteList('listEnvironments', {})
  const projects = useCompleteList('listProjects', {})
  const placeOf = ({ projectId, environmentId }: Domain): string =>
    [
      projects.data?.find(({ id }) => id === projectId)?.name,
      environments.data?.find(({ id }) => id === environmentId)?.name ?? environmentId,
    ]
      .filter(Boolean)
      .join(' / ')
  return (
    <RecordTable
      title="Domains"
      of={domains}
      head={['Domain', 'Environment', 'Certificates', '']}
      minWidth={680}
      aside={<NewDomain />}
      none={
        <Notice title="No domains yet">
          A domain is a hostname for something in an environment, such as shop.example.com.
        </Notice>
      }
    >
      {(domain) => (
        <PermissionScopeContext
          key={domain.id}
          value={{ projectId: domain.projectId, environmentId: domain.environmentId }}
        >
          <Row
            domain={domain}
            place={placeOf(domain)}
            certificates={certificates.data?.filter(({ id }) => domain.certificateIds.includes(id)) ?? []}
          />
        </PermissionScopeContext>
      )}
    </RecordTable>
  )
}

type Props = { domain: Domain; place: string; certificates: readonly Certificate[] }

const Row = ({ domain, place, certificates }: Props) => {
  const { id, projectId, name, description, isVerified } = domain
  const remove = useApiMutation(() => client.deleteDomain({ params: { id } }), ['listDomains'])
  return (
    <>
      <Table.Tr>
        <Table.Td style={{ overflowWrap: 'anywhere' }}>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Badge variant="light" color={isVerified ? 'teal' : 'gray'} tt="none">
              {isVerified ? 'Verified' : 'Not verified'}
            </Badge>
          </Group>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
          <ManagedRow projectId={projectId} recordId={id} />
        </Table.Td>
        <Table.Td>
          <TextLink to="/console/projects/$id" params={{ id: projectId }} size="sm">
            {place}
          </TextLink>
        </Table.Td>
        <Table.Td>
          <Text size="sm">{certificateStatusOf(certificates)}</Text>
        </Table.Td>
        <Table.Td ta="end">
          <RemoveButton permission="domains:write" label="Delete" name={name} change={remove}>
            Its certificates and DNS records don’t change.
          </RemoveButton>
        </Table.Td>
      </Table.Tr>
      <ErrorRow error={remove.error} columns={4} />
    </>
  )
}

/** Returns the number of certificates by status, such as `1 issued, 1 pending validation`. */
function certificateStatusOf(certificates: readonly Certificate[]): string {
  if (certificates.length === 0) return 'None'
  return [...Map.groupBy(certificates, ({ status }) => status)]
    .map(([status, some]) => `${some.length} ${certificateStatuses[status].label.toLowerCase()}`)
    .join(', ')
}
