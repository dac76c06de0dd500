import { Alert, Badge, Group, Stack, Table, Text } from '@mantine/core'
import type { Certificate, CertificateRecord } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { CopyableId } from '../../ui/buttons/copyable-id.tsx'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { IconAlertTriangle } from '../../ui/icons.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { certificateStatuses, describeRecord, needsRecords } from './certificate-status.ts'

const shows = ['listCertificates', 'listDomains'] as const

/** Shows a certificate with its status, records and actions. */
export const CertificateRow = ({ certificate, account }: { certificate: Certificate; account: string }) => {
  const { id, names, region, status, arn, origin, issuedAt, expiresAt, inUseBy, expiresSoon } = certificate
  const { error, problem } = certificate
  const [name = id, ...others] = names
  const check = useApiMutation(() => client.checkCertificate({ params: { id } }), shows)
  const remove = useApiMutation(() => client.deleteCertificate({ params: { id } }), shows)
  const forget = useApiMutation(
    () => client.deleteCertificate({ params: { id }, query: { keepInAccount: true } }),
    shows,
  )
  const mutationError = check.error ?? remove.error ?? forget.error
  const { label, color } = certificateStatuses[status]
  return (
    <Stack gap="xs" py="sm" role="group" aria-label={name}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {[...others, account, region].join(' · ')}
          </Text>
        </div>
        <Badge color={color} variant="light" tt="none" style={{ flexShrink: 0 }}>
          {label}
        </Badge>
      </Group>
      {expiresSoon && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Expires soon">
          It should have been renewed by now. Usually its DNS records are missing, or nothing uses the certificate.
        </Alert>
      )}
      {error && <ErrorPanel error={error} />}
      {problem && (
        <Text size="sm" role="status">
          {problem}
        </Text>
      )}
      <Facts
        facts={{
          ARN: arn && <CopyableId id={arn} />,
          Origin: origin === 'FOUND' ? 'Discovered in the account' : undefined,
          Issued: issuedAt && <TimeAgo at={issuedAt} />,
          Expires: expiresAt && <TimeAgo at={expiresAt} />,
          'Used by': status === 'ISSUED' && inUseBy.length === 0 ? 'Nothing' : inUseBy.join(', ') || undefined,
        }}
      />
      {certificate.records.length > 0 && (
        <details open={needsRecords(certificate)}>
          <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
            DNS validation records
          </Text>
          <Records of={certificate.records} name={name} />
        </details>
      )}
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      <Group gap="xs">
        <PermissionButton
          permission="certificates:write"
          size="xs"
          variant="default"
          aria-label={`Check status of ${name}`}
          loading={check.isPending}
          onClick={() => check.mutate(undefined)}
        >
          Check status
        </PermissionButton>
        <RemoveButton permission="certificates:write" label="Delete" name={name} change={remove}>
          The certificate is also deleted in the account, which fails while a resource uses it. Its DNS records stay.
        </RemoveButton>
        <RemoveButton permission="certificates:write" label="Stop tracking" name={name} change={forget}>
          The certificate stays in the account, but Sluice no longer warns you before it expires.
        </RemoveButton>
      </Group>
    </Stack>
  )
}

const Records = ({ of, name }: { of: readonly CertificateRecord[]; name: string }) => (
  <DataTable label={`DNS records of ${name}`} head={['Name', 'Type', 'Value', 'Status']} minWidth={720}>
    {of.map((record) => (
      <Table.Tr key={`${record.name} ${record.type}`}>
        <Table.Td>
          <CopyableId id={record.name} />
        </Table.Td>
        <Table.Td>{record.type}</Table.Td>
        <Table.Td>
          <CopyableId id={record.value} />
        </Table.Td>
        <Table.Td>
          <Text size="sm">{describeRecord(record)}</Text>
          {record.problem && (
            <Text size="sm" c="dimmed">
              {record.problem}
            </Text>
          )}
        </Table.Td>
      </Table.Tr>
    ))}
  </DataTable>
)
