import { Badge, Code, Group, Table, TextInput } from '@mantine/core'
import type { SignInDomain } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { AddForm } from '../../ui/forms/add-form.tsx'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ErrorRow } from '../../ui/tables/error-row.tsx'
import { RecordTable } from '../../ui/tables/record-table.tsx'

/** Manages email domains of the identity provider. */
export const SignInDomains = () => {
  const domains = useCompleteList('listSignInDomains', {})
  const claim = useApiMutation(
    (form: FormData) => client.createSignInDomain({ body: { data: { domain: textFieldValue(form, 'domain') } } }),
    ['listSignInDomains'],
  )
  const form = (
    <AddForm permission="organizations:write" label="Add domain" submit="Add" change={claim}>
      <TextInput name="domain" label="Email domain" placeholder="example.com" required data-autofocus />
    </AddForm>
  )
  return (
    <RecordTable
      title="Domains"
      of={domains}
      head={['Domain', 'TXT record name', 'TXT record value', '']}
      minWidth={720}
      aside={form}
      none={
        <Notice title="No domains yet">
          The identity provider signs in people whose email address is in a domain that you have verified.
        </Notice>
      }
    >
      {(domain) => <Domain key={domain.id} of={domain} />}
    </RecordTable>
  )
}

const Domain = ({ of: { id, domain, status, recordName, recordValue } }: { of: SignInDomain }) => {
  const verify = useApiMutation(() => client.verifySignInDomain({ params: { id } }), ['listSignInDomains'])
  const remove = useApiMutation(() => client.deleteSignInDomain({ params: { id } }), ['listSignInDomains'])
  const mutationError = verify.error ?? remove.error
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Group gap="xs">
            {domain}
            <Badge variant="light" color={status === 'VERIFIED' ? 'green' : 'gray'}>
              {status === 'VERIFIED' ? 'Verified' : 'Not verified'}
            </Badge>
          </Group>
        </Table.Td>
        <Table.Td>
          <Code>{recordName}</Code>
        </Table.Td>
        <Table.Td>
          <Code>{recordValue}</Code>
        </Table.Td>
        <Table.Td ta="end">
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            {status === 'PENDING' && (
              <PermissionButton
                permission="organizations:write"
                size="xs"
                variant="default"
                loading={verify.isPending}
                aria-label={`Verify ${domain}`}
                onClick={() => verify.mutate(undefined)}
              >
                Verify
              </PermissionButton>
            )}
            <RemoveButton permission="organizations:write" label="Remove" name={domain} change={remove}>
              People with an address in this domain can no longer join. Existing members stay.
            </RemoveButton>
          </Group>
        </Table.Td>
      </Table.Tr>
      <ErrorRow error={mutationError} columns={4} />
    </>
  )
}
