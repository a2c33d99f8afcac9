export const KEY = {
  title: 'API key',
  explanation:
    'Enter the API key of your tenant. It stays in the memory of this page: it is not stored, and a reload asks for it again.',
  label: 'API key',
  enter: 'Open the console',
  checking: 'Checking the key …',
  refused:
    'The service does not know this key, or it has expired. Check that you copied all of it, or ask your operator for another.',
  disabled: 'The tenant of this key is disabled. Ask your operator.',
  newTitle: 'Enter another key',
  newExplanation:
    'The service no longer accepts your key: it has expired or was revoked. The fields of this page are kept.',
  newEnter: 'Continue',
  later: 'Not now',
  forget: 'Forget the key',
} as const;
