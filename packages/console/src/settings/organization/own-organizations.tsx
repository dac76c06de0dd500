import { Table, Text, TextInput } from '@mantine/core'
import type { OwnOrganization } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { CopyableId } from '../../ui/buttons/copyable-id.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RecordTable } from '../../ui/tables/record-table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { roleName } from '../access/roles.ts'

/** Lists the member's organizations and creates new ones. */
export const OwnOrganizations = () => {
  const organizations = useCompleteList('listOrganizations', {})
  const create = useApiMutation(
    (form: FormData) => client.createOrganization({ body: { data: { name: textFieldValue(form, 'name') } } }),
    ['listOrganizations'],
  )
  const form = (
    <FormModal
      label="Create organization"
      title="Create organization"
      submit="Create"
      change={create}
      button={{ size: 'xs', variant: 'default' }}
    >
      <TextInput name="name" label="Name" required maxLength={200} data-autofocus />
      <Text size="sm">You become its owner. The list then links to its sign-in page.</Text>
    </FormModal>
  )
  return (
    <RecordTable
      title="Your organizations"
      of={organizations}
      head={['Name', 'Your role', 'ID']}
      aside={form}
      none={
        <Notice title="You don’t belong to an organization yet">
          Create an organization, or ask for an invitation to one.
        </Notice>
      }
    >
      {(organization) => <OrganizationRow key={organization.id} of={organization} />}
    </RecordTable>
  )
}

const OrganizationRow = ({ of: { id, name, role, isCurrent, deletion } }: { of: OwnOrganization }) => (
  <Table.Tr>
    <Table.Td>
      {isCurrent ? (
        `${name} (current)`
      ) : (
        <TextLink to="/console/sign-in" search={{ organization: id }}>
          {name}
        </TextLink>
      )}
      {deletion && ', deletion scheduled'}
    </Table.Td>
    <Table.Td>{roleName(role)}</Table.Td>
    <Table.Td>
      <CopyableId id={id} />
    </Table.Td>
  </Table.Tr>
)
