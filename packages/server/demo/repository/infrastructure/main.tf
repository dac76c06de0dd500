# Nothing here needs a provider that would have to be downloaded.
resource "terraform_data" "queue" {
  input = { name = "greetings", retention_days = 4 }
}

output "queue" {
  value = terraform_data.queue.output
}
