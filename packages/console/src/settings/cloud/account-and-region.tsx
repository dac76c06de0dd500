import { Select } from '@mantine/core'
import { useContext, useState } from 'react'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { FormProblems } from '../../ui/forms/form-problems.ts'

/** Fields `cloudAccountId` and `region`: a connected account and one of its regions. */
export const AccountAndRegion = ({ about }: { about?: string }) => {
  const accounts = useCompleteList('listCloudAccounts', {})
  const connected = accounts.data?.filter(({ status }) => status !== 'AWAITING_CONNECTION') ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const cloudAccountId = chosen ?? (connected.length === 1 ? connected[0]?.id : undefined)
  const regions = useOperation('listRegionValues', { query: cloudAccountId ? { cloudAccountId } : {} })
  const faults = useContext(FormProblems)
  return (
    <>
      <Select
        name="cloudAccountId"
        label="Cloud account"
        placeholder="Select a cloud account"
        required
        allowDeselect={false}
        data={connected.map(({ id, name }) => ({ value: id, label: name }))}
        value={cloudAccountId ?? null}
        onChange={setChosen}
        nothingFoundMessage="Connect a cloud account first."
        error={faults.cloudAccountId}
      />
      <Select
        name="region"
        label="Region"
        description={about}
        placeholder="Select a region"
        required
        searchable
        data={regions.data?.data.map(({ value, label }) => ({ value: String(value), label })) ?? []}
        error={faults.region}
      />
    </>
  )
}
