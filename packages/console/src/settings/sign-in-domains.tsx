import { Badge, Code, Group, Table, TextInput } from '@mantine/core'
import type { SignInDomain } from '@sluice/contract'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useWhole } from '../api/use-pages.ts'
import { AllowedButton } from '../ui/allowed-button.tsx'
import { Answer } from '../ui/answer.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { FormModal, textOf } from '../ui/form-modal.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'

/** The domains whose addresses the identity provider may speak for. */
export const SignInDomains = () => {
  const domains = useWhole('listSignInDomains', {})
  const claim = useChange(
    (form: FormData) => client.createSignInDomain({ body: { data: { domain: textOf(form, 'domain') } } }),
    ['listSignInDomains'],
  )
  const form = (
    <FormModal
      needs="organizations:write"
      label="Add a domain"
      title="Add a domain"
      submit="Add"
      change={claim}
      button={{ size: 'xs' }}
    >
      <TextInput
        name="domain"
        label="Domain of your email addresses"
        placeholder="example.com"
        required
        data-autofocus
      />
    </FormModal>
  )
  return (
    <Section title="Domains" aside={form}>
      <Answer of={domains}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="There is no domain">
              The identity provider signs people in whose address is of a domain that the organization has proven.
            </Notice>
          ) : (
            <DataTable label="Domains" head={['Domain', 'TXT record', 'It holds', '']} minWidth={720}>
              {all.map((domain) => (
                <Domain key={domain.id} of={domain} />
              ))}
            </DataTable>
          )
        }
      </Answer>
    </Section>
  )
}

const Domain = ({ of: { id, domain, status, recordName, recordValue } }: { of: SignInDomain }) => {
  const verify = useChange(() => client.verifySignInDomain({ params: { id } }), ['listSignInDomains'])
  const remove = useChange(() => client.deleteSignInDomain({ params: { id } }), ['listSignInDomains'])
  const refused = verify.error ?? remove.error
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Group gap="xs">
            {domain}
            <Badge variant="light" color={status === 'VERIFIED' ? 'green' : 'gray'}>
              {status === 'VERIFIED' ? 'proven' : 'not proven'}
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
              <AllowedButton
                needs="organizations:write"
                size="xs"
                variant="default"
                loading={verify.isPending}
                aria-label={`Prove ${domain}`}
                onClick={() => verify.mutate(undefined)}
              >
                Prove
              </AllowedButton>
            )}
            <ConfirmButton
              needs="organizations:write"
              variant="subtle"
              color="red"
              size="xs"
              label="Remove"
              ariaLabel={`Remove ${domain}`}
              question={`Remove ${domain}?`}
              loading={remove.isPending}
              onConfirm={() => remove.mutate(undefined)}
            >
              Nobody new joins with an address of it. Who is a member stays one.
            </ConfirmButton>
          </Group>
        </Table.Td>
      </Table.Tr>
      {refused && (
        <Table.Tr>
          <Table.Td colSpan={4}>
            <ErrorPanel error={errorOf(refused)} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}
