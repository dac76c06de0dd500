import { Kbd, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useRef } from 'react'

type Props = { label: string; placeholder: string; value: string; onChange: (value: string) => void }

/** The search of a page; `/` goes there from anywhere on it, Escape empties it. */
export const SearchInput = ({ label, placeholder, value, onChange }: Props) => {
  const input = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => input.current?.focus()]])
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={value === '' && <Kbd aria-hidden>/</Kbd>}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && onChange('')}
    />
  )
}
