import { Group, Image, Text } from '@mantine/core'

export const Logo = () => (
  <Group gap="xs" wrap="nowrap">
    <Image src={`${import.meta.env.BASE_URL}icon.svg`} alt="" w={28} h={28} />
    <Text fw={700} size="lg" component="span">
      Sluice
    </Text>
  </Group>
)
