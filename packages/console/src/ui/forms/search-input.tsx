import { type MantineSize, TextInput } from '@mantine/core'
import { IconSearch } from '../icons.tsx'

type Props = {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  size?: MantineSize
}

/** Filters the list on a page. Escape clears it. */
export const SearchInput = ({ label, placeholder, value, onChange, size = 'sm' }: Props) => (
  <TextInput
    type="search"
    size={size}
    aria-label={label}
    placeholder={placeholder}
    leftSection={<IconSearch size={16} aria-hidden />}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    onKeyDown={(event) => event.key === 'Escape' && onChange('')}
  />
)
