import { Select } from '@mantine/core'

/** A time zone, `timeZone` in a form; where none is given, that of the reader. */
export const TimeZoneSelect = ({ value, error }: { value: string | undefined; error: string | undefined }) => (
  <Select
    name="timeZone"
    label="Time zone"
    data={['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]}
    defaultValue={value ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
    allowDeselect={false}
    searchable
    limit={100}
    error={error}
  />
)
